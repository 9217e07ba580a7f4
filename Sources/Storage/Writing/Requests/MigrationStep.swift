public import GatehouseModel

/// Changes of the schema and of objects that take place together or not at all, and the record that they did.
public struct MigrationStep: Sendable {
  /// One change; each is a commit of its own in the log.
  public enum Change: Sendable {
    /// The schema becomes that one, as ``Store/apply(_:destructive:renames:generation:privileged:hook:)`` makes it.
    case schema(Schema, renames: SchemaRenames = [], isDestructive: Bool = false)
    /// Made for the schema as it is then.
    case operation(Operation)
  }

  public var changes: [Change]
  /// Must be as expected, or the step has taken place already.
  public let record: RecordChange
  /// Records that change with the objects, such as roles that name a class.
  public var others: [RecordChange] = []

  public init(_ changes: [Change], record: RecordChange) {
    self.changes = changes
    self.record = record
  }
}
