/// A status code (RFC 9110 §15).
public struct Status: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public static let `continue` = Status(rawValue: 100)
  public static let ok = Status(rawValue: 200)
  public static let created = Status(rawValue: 201)
  public static let accepted = Status(rawValue: 202)
  public static let noContent = Status(rawValue: 204)
  public static let partialContent = Status(rawValue: 206)
  public static let notModified = Status(rawValue: 304)
  public static let permanentRedirect = Status(rawValue: 308)
  public static let badRequest = Status(rawValue: 400)
  public static let unauthorized = Status(rawValue: 401)
  public static let forbidden = Status(rawValue: 403)
  public static let requestTimeout = Status(rawValue: 408)
  public static let contentTooLarge = Status(rawValue: 413)
  public static let uriTooLong = Status(rawValue: 414)
  public static let rangeNotSatisfiable = Status(rawValue: 416)
  public static let expectationFailed = Status(rawValue: 417)
  public static let misdirectedRequest = Status(rawValue: 421)
  public static let tooManyRequests = Status(rawValue: 429)
  public static let requestHeaderFieldsTooLarge = Status(rawValue: 431)
  public static let internalServerError = Status(rawValue: 500)
  public static let notImplemented = Status(rawValue: 501)
  public static let serviceUnavailable = Status(rawValue: 503)
  public static let httpVersionNotSupported = Status(rawValue: 505)

  /// Whether a response of this status never has content (RFC 9110 §6.4.1).
  public var forbidsContent: Bool {
    rawValue < 200 || rawValue == 204 || rawValue == 304
  }
}
