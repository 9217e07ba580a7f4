public import GatehouseBSON

/// A value of any type that a property can hold. Realm's `Mixed`.
///
/// This is how values travel between the query language, the store and the evaluator; a client's text has
/// been checked against the schema before it becomes one.
///
/// `Hashable` compares type and bits, strings by their bytes. Realm's comparison by value (`1 == 1.0`) is ``MixedOrder``'s.
public enum Mixed: Sendable {
  /// One entry of a dictionary inside a mixed value.
  public struct Entry: Hashable, Sendable {
    public let key: String
    public let value: Mixed

    public init(key: String, value: Mixed) {
      self.key = key
      self.value = value
    }
  }

  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case decimal128(Decimal128)
  case string(String)
  case data([UInt8])
  case date(Date)
  case objectID(ObjectID)
  case uuid(UUID)
  case link(ObjectLink)
  case list([Mixed])
  /// Entries in bytewise order of their keys, each key once.
  case dictionary([Entry])
}
