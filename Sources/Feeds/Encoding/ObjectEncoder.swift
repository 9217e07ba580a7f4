import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Writes objects as answers to GET have them.
struct ObjectEncoder {
  /// The bytes of the events of a change beyond which no more links are followed.
  static let eventLimit = 16 << 20

  let history: HistoricalSnapshot

  private let values = ValueEncoder()

  init(history: HistoricalSnapshot) {
    self.history = history
  }

  /// Writes what the projection shows; nil: every stored property.
  func write<Writer: ValueWriter>(
    _ state: ObjectState, showing projection: Projection?, to writer: inout Writer
  ) {
    let type = state.layout.objectType
    // One value may stand in place of the object.
    if let projection, projection.isValue, let field = projection.fields.first {
      return writeValue(field, of: state, to: &writer)
    }
    writer.beginDocument()
    if projection?.showsKey ?? true, type.hasObjectKey, !type.isEmbedded {
      writer.key(ObjectType.keyName)
      values.write(state.id, to: &writer)
    }
    if let projection {
      for field in projection.fields { write(field, of: state, to: &writer) }
    } else {
      for property in type.properties.indices
      where type.properties[property].isStored && history.concealment?.hides(property, of: type.name) != true
      {
        write(Projection.Field(property: property, target: nil), of: state, to: &writer)
      }
    }
    writer.endDocument()
  }

  /// Whether a link may be followed after so many bytes. Where not, the history has failed, and the event is not sent.
  private func mayFollow(after count: Int) -> Bool {
    if count > Self.eventLimit { history.fail(.answerTooLarge(limit: Self.eventLimit)) }
    return history.failure == nil
  }

  private func write<Writer: ValueWriter>(
    _ field: Projection.Field, of state: ObjectState, to writer: inout Writer
  ) {
    let type = state.layout.objectType
    if field.name == nil, field.property == type.fieldsIndex {
      guard case .dictionary(let entries) = state.values[field.property] else { return }
      return write(entries, to: &writer)
    }
    if let key = field.key {
      guard let value = state.field(key, in: field.property) else { return }
      writer.key(field.name ?? key.text)
      return values.write(mixed: value, to: &writer)
    }
    if let name = field.name { writer.key(name) } else { writer.key(state.layout.keys[field.property]) }
    writeValue(field, of: state, to: &writer)
  }

  /// Writes fields of a document as members.
  func write<Writer: ValueWriter>(_ fields: [Mixed.Entry], to writer: inout Writer) {
    for field in fields {
      writer.key(field.key)
      values.write(mixed: field.value, to: &writer)
    }
  }

  private func writeValue<Writer: ValueWriter>(
    _ field: Projection.Field, of state: ObjectState, to writer: inout Writer
  ) {
    let property = state.layout.objectType.properties[field.property]
    if let key = field.key {
      return values.write(mixed: state.field(key, in: field.property) ?? .null, to: &writer)
    }
    guard case .linkingObjects(let objectType, let name) = property.type else {
      return write(
        state.values[field.property], of: property.type, showing: field.target, to: &writer)
    }
    writer.beginArray()
    if let source = history.layouts[objectType]?.objectType.index(of: name) {
      for object in history.linkingObjects(objectType, source, to: state) {
        if let target = field.target {
          if mayFollow(after: writer.count) { write(object, showing: target, to: &writer) }
        } else {
          values.write(object.id, to: &writer)
        }
      }
    }
    writer.endArray()
  }

  /// Writes a property's value; `target` says how objects are shown.
  func write<Writer: ValueWriter>(
    _ value: Mixed, of type: PropertyType, showing target: Projection?, to writer: inout Writer
  ) {
    switch (type, value) {
    case (.list(let element, _), .list(let elements)), (.set(let element, _), .list(let elements)):
      writer.beginArray()
      for value in elements { write(value, of: element, showing: target, to: &writer) }
      writer.endArray()
    case (.map(let element, _), .dictionary(let entries)):
      writer.beginDocument()
      for entry in entries {
        writer.key(entry.key)
        write(entry.value, of: element, showing: target, to: &writer)
      }
      writer.endDocument()
    case (.one(let element, _), _): write(value, of: element, showing: target, to: &writer)
    default: values.write(value, to: &writer)
    }
  }

  private func write<Writer: ValueWriter>(
    _ value: Mixed, of element: ElementType, showing target: Projection?, to writer: inout Writer
  ) {
    guard case .object(let name) = element, value != .null, let layout = history.layouts[name] else {
      return element == .mixed ? values.write(mixed: value, to: &writer) : values.write(value, to: &writer)
    }
    if layout.objectType.isEmbedded {
      write(ObjectState(layout, embedded: value), showing: target, to: &writer)
    } else if let target {
      if mayFollow(after: writer.count), let object = history.object(Identity(objectType: name, id: value)) {
        write(object, showing: target, to: &writer)
      } else {
        writer.null()
      }
    } else {
      values.write(value, to: &writer)
    }
  }
}

extension ObjectState {
  /// A field of a document; nil: it has none of that name.
  fileprivate func field(_ key: ExactText, in fields: Int) -> Mixed? {
    guard case .dictionary(let entries) = values[fields] else { return nil }
    return entries.first { $0.key.hasSameBytes(as: key.text) }?.value
  }
}

extension Property {
  fileprivate var isStored: Bool {
    if case .linkingObjects = type { false } else { true }
  }
}
