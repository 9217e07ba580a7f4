public import GatehouseModel

/// The result of a transaction.
public struct Commit: Sendable {
  /// The result of one operation.
  public struct Result: Sendable {
    public enum Effect: String, Hashable, Sendable { case created, updated, unchanged, deleted }

    public let effect: Effect
    /// The primary key, or `_key` as an int; null for several objects.
    public let id: Mixed
    /// How many objects it was done to: one, but for ``Operation/each(_:_:)``.
    public let count: Int
    /// The object's version afterwards (its ETag); for a deletion the commit's.
    public let objectVersion: Int64
    /// The object afterwards, in the form that ``Transaction/returning`` asked for.
    public let object: [UInt8]?
  }

  public let version: Int64
  public let results: [Result]
  /// The answer to the first of two requests with the same idempotency key; then nothing was done this time.
  public var repeated: [UInt8]?

  public init(version: Int64, results: [Result]) {
    (self.version, self.results) = (version, results)
  }

  init(version: Int64, results: [Result], repeated: [UInt8]?) {
    (self.version, self.results, self.repeated) = (version, results, repeated)
  }
}
