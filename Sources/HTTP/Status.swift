/// A status code (RFC 9110 §15).
public struct Status: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public static let ok = Status(rawValue: 200)
  public static let created = Status(rawValue: 201)
  public static let noContent = Status(rawValue: 204)
}
