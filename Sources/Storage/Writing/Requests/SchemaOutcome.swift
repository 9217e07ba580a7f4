/// The outcome of applying a schema.
public struct SchemaOutcome: Hashable, Sendable {
  /// The commit that changed it, or the last one when there was nothing to change.
  public let version: Int64
  public let changed: Bool
}
