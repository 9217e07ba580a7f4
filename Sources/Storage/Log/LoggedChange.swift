public import GatehouseBSON
public import GatehouseModel

/// The change of one object, or of the schema, in one commit.
public struct LoggedChange: Sendable {
  /// The kind of a change. The raw values are those in the file.
  public enum Operation: Int64, Hashable, Sendable {
    case insert, update, delete
    /// The schema changed; the images are its notation as JSON text. Objects whose new properties were filled
    /// with defaults, or that lost some, have no changes of their own.
    case schema
  }

  public let position: LogPosition
  /// When the commit was made.
  public let time: Date
  /// Empty for a change of the schema.
  public let objectType: String
  /// The object's key; 0 for a change of the schema.
  public let key: ObjectKey
  /// The primary key, or the object key of a class without; null for a change of the schema.
  public let id: Mixed
  public let operation: Operation
  /// A dictionary by stored names, links as primary keys: of all properties for a deletion, of the changed ones
  /// for an update, nil for an insertion.
  public let before: Mixed?
  /// The values after the change, in the form of ``before``; nil for a deletion.
  public let after: Mixed?
  /// Collections that an update changed some elements of; they are not in ``before`` and ``after``.
  public let elements: [CollectionChange]
  /// Whether an update gave the whole object another state: ``Operation/put(objectType:id:draft:precondition:)``.
  public var isReplacement = false
}

/// The kind of a change as the file has it: a number. Files that were written before replacements were told have them as updates.
struct StoredOperation {
  /// The number of an update that replaced the whole object.
  private static let replacement: Int64 = 4

  let operation: LoggedChange.Operation
  /// Whether an update replaced the whole object.
  let isReplacement: Bool

  init(_ operation: LoggedChange.Operation, isReplacement: Bool) {
    precondition(operation == .update || !isReplacement, "only an update replaces an object")
    (self.operation, self.isReplacement) = (operation, isReplacement)
  }

  /// Nil: the file has no such number.
  init?(rawValue: Int64) {
    isReplacement = rawValue == StoredOperation.replacement
    guard
      let operation = LoggedChange.Operation(
        rawValue: isReplacement ? LoggedChange.Operation.update.rawValue : rawValue)
    else { return nil }
    self.operation = operation
  }

  var rawValue: Int64 { isReplacement ? StoredOperation.replacement : operation.rawValue }
}

extension LoggedChange {
  /// Returns what the same commit is to somebody who sees another change: of an object of theirs, by class, key and
  /// identifier; nil: of the same one.
  package func seen(
    as operation: Operation, of object: (objectType: String, key: ObjectKey, id: Mixed)? = nil,
    before: Mixed?,
    after: Mixed?
  ) -> LoggedChange {
    let isSame = object.map { $0.objectType == objectType && $0.key == key } ?? true
    let object = object ?? (objectType, key, id)
    return LoggedChange(
      position: position, time: time, objectType: object.objectType, key: object.key, id: object.id,
      operation: operation, before: before, after: after, elements: [],
      isReplacement: isReplacement && isSame && operation == .update)
  }

  /// Appends the change as an object of plain JSON or Extended JSON, properties by the names that clients use.
  public func append(as representation: Representation, in schema: Schema, to bytes: inout [UInt8]) {
    switch representation {
    case .json, .bson:
      var writer = ChangeWriter(PlainJSONWriter(appendingTo: bytes), schema: schema)
      bytes = []
      writer.write(self)
      bytes = writer.output.finish()
    case .extendedJSON:
      var writer = ChangeWriter(ExtendedJSONWriter(appendingTo: bytes), schema: schema)
      bytes = []
      writer.write(self)
      bytes = writer.output.finish()
    }
  }

  /// The names of the properties that an update changed, as clients use them.
  func changedNames(in schema: Schema) -> [String] {
    guard operation == .update, case .dictionary(let entries)? = after else { return [] }
    let type = schema[objectType]
    if type?.isSchemaless == true { return memberNames }
    let stored = entries.map(\.key) + elements.map(\.property)
    return stored.map { type?.property(storedAs: $0)?.name ?? $0 }
  }
}

extension ObjectType {
  /// The property that is stored under that name.
  func property(storedAs name: String) -> Property? {
    properties.first { $0.storedName == name }
  }
}
