/// Bytes with BSON's subtype.
public struct Binary: Hashable, Sendable {
  /// 0 is generic; see <https://bsonspec.org/spec.html>, "subtype".
  public var subtype: UInt8
  public var bytes: [UInt8]

  public init(subtype: UInt8 = 0, bytes: [UInt8]) {
    self.subtype = subtype
    self.bytes = bytes
  }
}
