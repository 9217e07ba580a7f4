import GatehouseBSON
public import GatehouseModel
public import GatehouseQuery

/// Objects in memory, for the evaluator.
public final class ObjectGraph: Sendable {
  public let schema: Schema
  let records: [String: [ObjectKey: [Stored]]]
  let keys: [String: [ObjectKey]]

  enum Stored: Sendable {
    case one(Mixed)
    case elements([Mixed])
    case map([Mixed.Entry])
  }

  public init(_ dataset: Dataset) {
    schema = dataset.schema
    let schema = dataset.schema
    records = dataset.objects.reduce(into: [:]) { records, entry in
      let type = schema[entry.key]
      for object in entry.value {
        records[entry.key, default: [:]][object.key] = zip(type?.properties ?? [], object.values).map {
          Stored($1, $0.type)
        }
      }
    }
    keys = dataset.objects.mapValues { $0.map(\.key).sorted() }
  }

  /// Makes the objects that drafts of one class without primary key create.
  public init(_ drafts: [ObjectDraft], of objectType: String, in schema: Schema) {
    self.schema = schema
    var builder = Builder(schema: schema)
    for draft in drafts {
      guard let key = draft.key else { continue }
      builder.add(draft, key, of: objectType)
    }
    records = builder.records
    keys = records.mapValues { $0.keys.sorted() }
  }

  /// Gives embedded objects keys, as the store does.
  private struct Builder {
    let schema: Schema
    var records: [String: [ObjectKey: [Stored]]] = [:]

    mutating func add(_ draft: ObjectDraft, _ key: ObjectKey, of objectType: String) {
      records[objectType, default: [:]][key] = []
      var stored: [Stored] = []
      for (index, property) in (schema[objectType]?.properties ?? []).enumerated() {
        let value = draft.assignments.first { $0.property == index }?.value ?? .value(.null)
        stored.append(Stored(linked(value, property.type), property.type))
      }
      records[objectType]?[key] = stored
    }

    private mutating func linked(_ value: DraftValue, _ type: PropertyType) -> DraftValue {
      switch value {
      case .value, .link: return value
      case .list(let values): return .list(values.map { linked($0, type) })
      case .map(let entries):
        return .map(entries.map { DraftValue.Entry(key: $0.key, value: linked($0.value, type)) })
      case .embedded(let draft):
        guard case .object(let target)? = type.element else { return .value(.null) }
        let key = ObjectKey(Int64(records[target]?.count ?? 0))
        add(draft, key, of: target)
        return .link(objectType: target, primaryKey: .int(key.value))
      }
    }
  }

  public func objects(_ objectType: String) -> [MemoryObject] {
    (keys[objectType] ?? []).map { MemoryObject(graph: self, objectType: objectType, key: $0) }
  }
}

extension ObjectGraph.Stored {
  init(_ value: Value, _ type: PropertyType) {
    switch type {
    case .one(let element, _): self = .one(value.mixed(element))
    case .list(let element, _): self = .elements(value.items.map { $0.mixed(element) })
    case .set(let element, _):
      self = .elements(value.items.map { $0.mixed(element) }.sorted { MixedOrder.sortOrder($0, $1) < 0 })
    case .map(let element, _):
      self = .map(
        value.entries.map { Mixed.Entry(key: $0.key, value: $0.value.mixed(element)) }
          .sorted { $0.key.compareBytes($1.key) < 0 })
    case .linkingObjects: self = .elements([])
    }
  }

  init(_ draft: DraftValue, _ type: PropertyType) {
    switch (draft, type) {
    case (_, .one): self = .one(draft.mixed)
    case (.list(let values), .set):
      let sorted = values.map(\.mixed).sorted { MixedOrder.sortOrder($0, $1) < 0 }
      self = .elements(
        sorted.enumerated().filter {
          $0.offset == 0 || MixedOrder.sortOrder(sorted[$0.offset - 1], $0.element) != 0
        }
        .map(\.element))
    case (.list(let values), _): self = .elements(values.map(\.mixed))
    case (.map(let entries), _): self = .map(entries.map { Mixed.Entry(key: $0.key, value: $0.value.mixed) })
    case (_, .linkingObjects): self = .elements([])
    case (_, _): self = .one(draft.mixed)
    }
  }

  var values: [Mixed] {
    switch self {
    case .one(let value): [value]
    case .elements(let elements): elements
    case .map(let entries): entries.map(\.value)
    }
  }
}

extension PropertyType {
  fileprivate var element: ElementType? {
    switch self {
    case .one(let element, _), .list(let element, _), .set(let element, _), .map(let element, _): element
    case .linkingObjects: nil
    }
  }
}

extension DraftValue {
  fileprivate var mixed: Mixed {
    switch self {
    case .value(let value): value
    case .link(let objectType, .int(let key)): .link(ObjectLink(objectType: objectType, key: ObjectKey(key)))
    case .list(let values): .list(values.map(\.mixed))
    case .map(let entries): .dictionary(entries.map { Mixed.Entry(key: $0.key, value: $0.value.mixed) })
    case .link, .embedded: .null
    }
  }
}

extension Value {
  fileprivate var items: [Value] { if case .array(let array) = self { array } else { [] } }
  fileprivate var entries: [Document.Element] {
    if case .document(let document) = self { document.elements } else { [] }
  }
}

/// An object of the store in memory.
public struct MemoryObject: ObjectView, Sendable {
  let graph: ObjectGraph
  let objectType: String
  public let key: ObjectKey

  private var record: [ObjectGraph.Stored] { graph.records[objectType]?[key] ?? [] }

  public func value(_ property: Int) -> Mixed { record[property].values.first ?? .null }

  public func elements(_ property: Int) -> [Mixed] { record[property].values }

  public func keys(_ property: Int) -> [String] {
    if case .map(let entries) = record[property] { entries.map(\.key) } else { [] }
  }

  public func object(_ link: ObjectLink) -> MemoryObject? {
    graph.records[link.objectType]?[link.key] == nil
      ? nil : MemoryObject(graph: graph, objectType: link.objectType, key: link.key)
  }

  public func linkingObjects(_ objectType: String, _ property: Int) -> [MemoryObject] {
    let link = ObjectLink(objectType: self.objectType, key: key)
    return graph.objects(objectType).flatMap { object in
      Array(repeating: object, count: object.elements(property).reduce(0) { $0 + $1.count(of: link) })
    }
  }

  public func value(named name: String) -> Mixed? {
    guard let index = graph.schema[objectType]?.index(of: name) else { return nil }
    switch record[index] {
    case .one(let value): return value
    case .elements(let elements): return .list(elements)
    case .map(let entries): return .dictionary(entries)
    }
  }

  public func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
    let objects = graph.objects(objectType)
    let primary = graph.schema[objectType]?.primaryKeyIndex
    let match = objects.first { object in
      MixedOrder.isEqual(primary.map { object.value($0) } ?? .int(object.key.value), primaryKey)
    }
    return match.map { ObjectLink(objectType: objectType, key: $0.key) }
  }
}
