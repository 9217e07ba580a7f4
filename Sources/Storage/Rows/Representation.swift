import GatehouseBSON

/// A form in which objects leave the store.
public enum Representation: Hashable, Sendable {
  /// Plain JSON, typed by the schema.
  case json
  /// Canonical Extended JSON v2.
  case extendedJSON
  case bson
}
