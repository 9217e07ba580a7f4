public import GatehouseModel

/// The place of an object in a sorted result: its sort values and its key. Stable under writes.
public struct Cursor: Hashable, Sendable {
  /// The object's value for each key of the plan's last SORT.
  public let values: [Mixed]
  public let key: ObjectKey

  public init(values: [Mixed], key: ObjectKey) {
    self.values = values
    self.key = key
  }
}
