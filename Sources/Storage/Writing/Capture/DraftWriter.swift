import GatehouseBSON
import GatehouseModel

/// Writes a new object from its draft as a reader would write it from the file, and so spares reading it back.
///
/// Only for classes whose values the file gives back exactly as the draft has them (``DraftWriter/canWrite(_:in:)``).
final class DraftWriter {
  /// A class, so that to look at one counts one reference, not one for each of its parts.
  private final class Field {
    let property: Int
    let key: PreparedKey
    let container: Container
    /// The writer of the property's embedded objects.
    let embedded: DraftWriter?

    init(property: Int, key: PreparedKey, container: Container, embedded: DraftWriter?) {
      self.property = property
      self.key = key
      self.container = container
      self.embedded = embedded
    }
  }

  /// How a property holds its values.
  private enum Container {
    case one, list, set, map
  }

  private let showsKey: Bool
  private let fields: [Field]

  /// Nil where ``canWrite(_:in:)`` is false.
  init?(_ type: ObjectType, in schema: Schema, naming: ReadSession.Naming) {
    guard DraftWriter.canWrite(type, in: schema) else { return nil }
    showsKey = naming == .client && type.hasObjectKey
    fields = type.properties.indices.compactMap { index in
      let property = type.properties[index]
      guard let stored = property.type.stored else { return nil }
      let name = naming == .client ? property.name : property.storedName
      let container: Container =
        switch property.type {
        case .one, .linkingObjects: .one
        case .list: .list
        case .set: .set
        case .map: .map
        }
      return Field(
        property: index, key: PreparedKey(name), container: container,
        embedded: schema.embeddedType(stored.element).flatMap { DraftWriter($0, in: schema, naming: naming) })
    }
  }

  /// Whether an object of the class can be written from its draft.
  ///
  /// Not: mixed values, whose links lose their types' names; decimals, of which the file keeps the canonical form;
  /// sets that are ordered by more than their bytes; classes that contain themselves, whose writers had no end.
  static func canWrite(_ type: ObjectType, in schema: Schema, inside parents: [String] = []) -> Bool {
    guard !parents.contains(type.name) else { return false }
    return type.properties.allSatisfy { property in
      guard let (container, element, _) = property.type.stored else { return true }
      switch element {
      case .mixed, .decimal128: return false
      case .bool, .int, .string, .date, .objectID, .uuid: return true
      case .float, .double, .data: return container != .set
      case .object(let name):
        guard container != .set, let target = schema[name] else { return false }
        // The file has identifiers of documents as they are spelt there, and not in links to them.
        if target.isSchemaless { return false }
        return !target.isEmbedded || canWrite(target, in: schema, inside: parents + [type.name])
      }
    }
  }

  /// Writes the object. `key` is its object key.
  func write<Writer: ValueWriter>(_ draft: ObjectDraft, key: Int64, to writer: inout Writer) {
    writer.beginDocument()
    if showsKey {
      writer.key(ObjectType.keyName)
      writer.int64(key)
    }
    forEachField(of: draft) { field, value in
      writer.key(field.key)
      write(value, field, to: &writer)
    }
    writer.endDocument()
  }

  /// Calls `body` with each field and what the draft gives for it; nil: nothing.
  @inline(__always)
  private func forEachField(of draft: ObjectDraft, _ body: (Field, DraftValue?) -> Void) {
    var given = 0
    for field in fields {
      while given < draft.assignments.count, draft.assignments[given].property < field.property { given += 1 }
      let isGiven = given < draft.assignments.count && draft.assignments[given].property == field.property
      body(field, isGiven ? draft.assignments[given].value : nil)
    }
  }

  private func write<Writer: ValueWriter>(_ value: DraftValue?, _ field: Field, to writer: inout Writer) {
    switch (field.container, value) {
    case (.one, let value?): element(value, field, to: &writer)
    case (.one, nil): writer.null()
    case (.set, .list(let values)?):
      writer.beginArray()
      for value in DraftWriter.members(values) { writer.stored(value) }
      writer.endArray()
    case (.list, .list(let values)?):
      writer.beginArray()
      for value in values { element(value, field, to: &writer) }
      writer.endArray()
    case (.map, .map(let entries)?):
      writer.beginDocument()
      for entry in entries {
        writer.key(entry.key)
        element(entry.value, field, to: &writer)
      }
      writer.endDocument()
    // Null resets a collection.
    case (.list, _), (.set, _): writer.emptyArray()
    case (.map, _): writer.emptyDocument()
    }
  }

  private func element<Writer: ValueWriter>(_ value: DraftValue, _ field: Field, to writer: inout Writer) {
    switch value {
    case .value(let value): writer.stored(value)
    case .link(_, let primaryKey): writer.stored(primaryKey)
    // Embedded objects have no key that is shown.
    case .embedded(let draft): field.embedded?.write(draft, key: 0, to: &writer)
    case .list, .map: preconditionFailure("a collection outside a mixed value")
    }
  }

  /// The object as ``write(_:key:to:)`` would write it for the change log.
  func image(_ draft: ObjectDraft) -> Mixed {
    var entries: [Mixed.Entry] = []
    entries.reserveCapacity(fields.count)
    forEachField(of: draft) { field, value in
      entries.append(Mixed.Entry(key: field.key.name, value: image(value, field)))
    }
    return .dictionary(entries)
  }

  private func image(_ value: DraftValue?, _ field: Field) -> Mixed {
    switch (field.container, value) {
    case (.one, let value?): image(value, field)
    case (.one, nil): .null
    case (.set, .list(let values)?): .list(DraftWriter.members(values).map(\.stored))
    case (.list, .list(let values)?): .list(values.map { image($0, field) })
    case (.map, .map(let entries)?):
      .dictionary(entries.map { Mixed.Entry(key: $0.key, value: image($0.value, field)) })
    case (.list, _), (.set, _): .list([])
    case (.map, _): .dictionary([])
    }
  }

  private func image(_ value: DraftValue, _ field: Field) -> Mixed {
    switch value {
    case .value(let value): value.stored
    case .link(_, let primaryKey): primaryKey.stored
    case .embedded(let draft): field.embedded?.image(draft) ?? .null
    case .list, .map: preconditionFailure("a collection outside a mixed value")
    }
  }

  /// The members of a set in the order of SQLite, each once.
  private static func members(_ values: [DraftValue]) -> [Mixed] {
    var members: [Mixed] = []
    for case .value(let value) in values { members.append(value) }
    guard members.count > 1 else { return members }
    members.sort { precedes($0, $1) }
    var distinct: [Mixed] = []
    for member in members {
      if let last = distinct.last, !precedes(last, member) { continue }
      distinct.append(member)
    }
    return distinct
  }

  private static func precedes(_ left: Mixed, _ right: Mixed) -> Bool {
    switch (left, right) {
    case (_, .null): false
    case (.null, _): true
    case (.bool(let left), .bool(let right)): !left && right
    case (.int(let left), .int(let right)): left < right
    case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.date(let left), .date(let right)):
      (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    case (.objectID(let left), .objectID(let right)): (left.high, left.low) < (right.high, right.low)
    case (.uuid(let left), .uuid(let right)): (left.high, left.low) < (right.high, right.low)
    default: preconditionFailure("a member of another type")
    }
  }
}

extension ValueWriter {
  fileprivate mutating func emptyArray() {
    beginArray()
    endArray()
  }

  fileprivate mutating func emptyDocument() {
    beginDocument()
    endDocument()
  }

  /// Writes a value whose type the schema says.
  fileprivate mutating func stored(_ value: Mixed) {
    switch value.stored {
    case .link, .list, .dictionary: preconditionFailure("a mixed value")
    case let value: scalar(value)
    }
  }
}

extension Mixed {
  /// The value as the file keeps it: of a NaN no more than that it is one, and of a zero no sign, since SQLite makes an
  /// integer of it.
  fileprivate var stored: Mixed {
    switch self {
    case .float(let value): .float(value.isNaN ? .nan : value.isZero ? 0 : value)
    case .double(let value): .double(value.isNaN ? .nan : value.isZero ? 0 : value)
    default: self
    }
  }
}

extension Schema {
  /// The class of embedded objects that elements of that type are.
  fileprivate func embeddedType(_ element: ElementType) -> ObjectType? {
    guard case .object(let name) = element, let type = self[name], type.isEmbedded else { return nil }
    return type
  }
}
