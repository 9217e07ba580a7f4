/// A property of an object, by their positions.
public struct PropertyPlace: Hashable, Sendable {
  public let row: RowAddress
  /// The position of the property in its class.
  public let property: Int

  public init(row: RowAddress, property: Int) {
    self.row = row
    self.property = property
  }
}
