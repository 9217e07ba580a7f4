import GatehouseModel

/// Rows of the change log in order, from wherever they are.
protocol LogRows {
  /// Goes to the next row; false: there is none.
  mutating func step() throws(StorageError) -> Bool
  /// Where the row is.
  var position: LogPosition { get }
  var objectType: String { get }
  /// Bytes of images of the change that was read last.
  var size: Int { get }
  /// Returns the change that the row holds.
  mutating func change() throws(StorageError) -> LoggedChange
}

extension LoggedChange {
  /// The values that an image has.
  static func image(of bytes: UnsafeBufferPointer<UInt8>) throws(StorageError) -> Mixed {
    guard let image = MixedCoding.decode(bytes) else { throw .corrupt("image in the log") }
    return image
  }

  static func elements(of bytes: UnsafeBufferPointer<UInt8>) throws(StorageError) -> [CollectionChange] {
    guard let changes = CollectionChange.decode(bytes) else { throw .corrupt("elements in the log") }
    return changes
  }
}
