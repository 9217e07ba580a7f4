public import Model
public import Query

/// A read-only connection with its cache of prepared statements. Used by one thread at a time.
public final class Reader {
  /// Appends the object to `bytes` and returns its version, or nil (and appends nothing) where there is none.
  public func object(
    _ objectType: String, id: Mixed, projection: Projection?, as representation: Representation,
    into bytes: inout [UInt8]
  ) throws(StorageError) -> Int64? { fatalError() }

  /// The object's version; nil where there is none.
  public func version(_ objectType: String, id: Mixed) throws(StorageError) -> Int64? { fatalError() }

  /// Appends the page of objects that the plan asks for to `bytes`.
  public func page(
    _ plan: Plan, as representation: Representation, framing: Framing, into bytes: inout [UInt8]
  ) throws(StorageError) -> Page { fatalError() }

  /// How many objects the plan matches, its cursor and page size left aside.
  public func count(_ plan: Plan) throws(StorageError) -> Int { fatalError() }

  /// The number of objects of every class that is not embedded, in the order of the schema.
  public func counts() throws(StorageError) -> [(objectType: String, count: Int)] { fatalError() }

  /// How the objects of a page are put together.
  public enum Framing: Sendable {
    /// One array.
    case array
    /// A line each (JSON), or one after the other (BSON).
    case sequence
  }

  /// What a page holds.
  public struct Page: Sendable {
    public let count: Int
    /// Where the next page begins; nil when there is none.
    public let next: Cursor?
  }
}
