public import GatehouseModel

/// The values of objects of one class, as ``TypedReader/values(of:)`` has them, those of one object after those of another.
public struct ObjectPage {
  public let values: [Mixed]
  /// For each object that was asked for, where its values begin; nil: there is no such object.
  public let starts: [Int?]
}
