import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// An object at the iterator's position, as the evaluator sees it.
struct HistoricalObject: ObjectView {
  let state: ObjectState
  let history: HistoricalSnapshot

  var key: ObjectKey {
    if case .int(let key) = state.id { ObjectKey(key) } else { ObjectKey(0) }
  }

  /// The keys of links hold within the snapshot only.
  func link(as objectType: String) -> Mixed {
    type.isEmbedded ? history.link(objectType, embedded: state.image) : history.link(objectType, state.id)
  }

  private var type: ObjectType { state.layout.objectType }

  /// A part of an object shows what the object shows.
  var unguarded: HistoricalObject {
    guard let base = history.concealment?.base, !type.isEmbedded,
      let state = base.object(Identity(objectType: type.name, id: state.id))
    else { return self }
    return HistoricalObject(state: state, history: base)
  }

  var isDocument: Bool { type.isSchemaless }

  func value(_ property: Int) -> Mixed {
    guard case .one(let element, _) = type.properties[property].type else { return .null }
    return history.value(state.values[property], element)
  }

  func elements(_ property: Int) -> [Mixed] {
    switch (type.properties[property].type, state.values[property]) {
    case (.list(let element, _), .list(let values)): values.map { history.value($0, element) }
    case (.set(let element, _), .list(let values)):
      values.map { history.value($0, element) }.sorted { MixedOrder.sortOrder($0, $1) < 0 }
    case (.map(let element, _), .dictionary(let entries)): entries.map { history.value($0.value, element) }
    default: []
    }
  }

  func keys(_ property: Int) -> [String] {
    guard case .dictionary(let entries) = state.values[property] else { return [] }
    return entries.map(\.key)
  }

  func object(_ link: ObjectLink) -> HistoricalObject? {
    history.object(link).map { HistoricalObject(state: $0, history: history) }
  }

  func linkingObjects(_ objectType: String, _ property: Int) -> [HistoricalObject] {
    history.linkingObjects(objectType, property, to: state).map {
      HistoricalObject(state: $0, history: history)
    }
  }

  func value(named name: String) -> Mixed? {
    guard let property = type.index(of: name) else {
      if let fields = type.fieldsIndex {
        return zip(keys(fields), elements(fields)).first { $0.0.hasSameBytes(as: name) }?.1
      }
      return name == ObjectType.keyName && type.hasObjectKey ? .int(key.value) : nil
    }
    if history.concealment?.hides(property, of: type.name) == true { return nil }
    switch type.properties[property].type {
    case .one: return value(property)
    case .list, .set: return .list(elements(property))
    case .map:
      return .dictionary(zip(keys(property), elements(property)).map { Mixed.Entry(key: $0, value: $1) })
    case .linkingObjects(let objectType, let name):
      guard let source = history.layouts[objectType]?.objectType.index(of: name) else { return .list([]) }
      let objects = history.linkingObjects(objectType, source, to: state)
      return .list(objects.map { history.link(objectType, $0.id) })
    }
  }

  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
    guard history.object(Identity(objectType: objectType, id: primaryKey)) != nil,
      case .link(let link) = history.link(objectType, primaryKey)
    else { return nil }
    return link
  }

  func place(of name: String) -> (objectType: String, property: Int)? {
    type.index(of: name).map { (type.name, $0) }
  }

  func dropsHiddenLinks(_ property: Int) -> Bool { type.properties[property].type.dropsHiddenLinks }
}

extension HistoricalSnapshot {
  /// Converts a value of the log, which has that type, to the evaluator's form.
  func value(_ logged: Mixed, _ element: ElementType) -> Mixed {
    switch element {
    case .object(let target):
      isEmbedded(target) ? link(target, embedded: logged) : link(target, logged)
    case .mixed: mixed(logged)
    case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: logged
    }
  }

  /// Typed links inside mixed values are references in the log.
  private func mixed(_ logged: Mixed) -> Mixed {
    switch logged {
    case .list(let values): return .list(values.map(mixed))
    case .dictionary(let entries):
      if let reference = logged.reference { return link(reference.objectType, reference.id) }
      return .dictionary(entries.map { Mixed.Entry(key: $0.key, value: mixed($0.value)) })
    default: return logged
    }
  }

  private func isEmbedded(_ objectType: String) -> Bool {
    layouts[objectType]?.objectType.isEmbedded ?? false
  }
}

extension Mixed {
  /// The object that `{"$ref":class,"$id":primary key}` refers to; no key of a map begins with `$`.
  var reference: Identity? {
    guard case .dictionary(let entries) = self, entries.count == 2, entries[0].key == "$id",
      entries[1].key == "$ref", case .string(let objectType) = entries[1].value
    else { return nil }
    return Identity(objectType: objectType, id: entries[0].value)
  }
}
