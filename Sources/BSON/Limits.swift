/// Bounds on what a reader takes, so that a hostile input costs little.
public struct Limits: Hashable, Sendable {
  /// The greatest number of documents and arrays around a value. A reader recurses once for each.
  public var depth: Int
  /// The greatest number of bytes.
  public var size: Int

  /// A hundred levels, which is MongoDB's limit as well, and 64 MiB.
  public init(depth: Int = 100, size: Int = 64 << 20) {
    self.depth = depth
    self.size = size
  }
}
