public import GatehouseModel

/// An object and its key.
public struct KeyedImage: Sendable {
  public let key: ObjectKey
  /// All stored properties: a dictionary by stored names, links as primary keys.
  public let image: Mixed
}
