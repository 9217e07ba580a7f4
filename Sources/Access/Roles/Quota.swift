/// The most objects of a class, and bytes of them, that a caller may have.
public struct Quota: Hashable, Sendable {
  /// Nil: any number.
  public let objects: Int?
  /// Nil: any number.
  public let bytes: Int?

  public init(objects: Int? = nil, bytes: Int? = nil) {
    self.objects = objects
    self.bytes = bytes
  }

  /// Returns what one of the quotas allows; nil: any number, as one without a quota does.
  static func largest(of quotas: [Quota?]) -> Quota? {
    func largest(_ limits: [Int?]) -> Int? {
      limits.contains(nil) ? nil : limits.compactMap(\.self).max()
    }
    let (objects, bytes) = (largest(quotas.map { $0?.objects }), largest(quotas.map { $0?.bytes }))
    return objects == nil && bytes == nil ? nil : Quota(objects: objects, bytes: bytes)
  }
}
