public import GatehouseModel

/// Changes of objects that code outside of the store decides on, looking at each object as it is.
///
/// The writer waits for that code, and everybody who writes with it: it is for migrations.
public struct ObjectTransform: Sendable {
  /// An object to decide on.
  public struct Subject: Sendable {
    public let id: Mixed
    /// The whole object, a BSON document.
    public let object: [UInt8]
  }

  /// The most objects that are asked about at once, and the bytes at which there are enough of them.
  static let batchSize = 128
  static let batchBytes = 4 << 20

  /// Returns the patch of each object, in their order; nil: it stays as it is. Throws ``StorageError/transformFailed(objectType:id:reason:)``.
  public let patches: @Sendable ([Subject]) throws(StorageError) -> [ObjectPatch?]

  public init(_ patches: @escaping @Sendable ([Subject]) throws(StorageError) -> [ObjectPatch?]) {
    self.patches = patches
  }
}
