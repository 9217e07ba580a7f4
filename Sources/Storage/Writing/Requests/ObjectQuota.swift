/// The most objects of a class, and bytes of them, that may match a condition when a transaction that adds to them ends.
public struct ObjectQuota: Hashable, Sendable {
  /// Nil: any number.
  public let objects: Int?
  /// The bytes of the objects as the change log writes them; nil: any number.
  public let bytes: Int?
  /// Whether the condition depends on nothing but the objects and will be asked for again, so that their number is kept:
  /// otherwise they are counted for each transaction.
  public var isLasting = true
  /// Whether a refusal may tell how much there is.
  public var showsUsage = true

  public init(objects: Int? = nil, bytes: Int? = nil) {
    self.objects = objects
    self.bytes = bytes
  }
}
