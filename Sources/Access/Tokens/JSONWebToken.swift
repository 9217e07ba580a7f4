public import GatehouseBSON
internal import GatehouseCrypto

/// A JSON Web Token (RFC 7519) in its compact form, taken apart; nothing of it is to be believed before its signature
/// has been verified.
public struct JSONWebToken: Sendable {
  /// The greatest length of a token, in bytes.
  public static let longest = 16 << 10
  /// Seconds by which the clocks of others may run ahead (RFC 7519 §4.1.5).
  static let leeway: Int64 = 300

  let header: Document
  public let claims: Document
  /// The signing input: header and payload, encoded (RFC 7515 §2).
  private let message: [UInt8]
  private let signature: [UInt8]

  /// Reads a token; nil if the text is none, names a member twice (§4), or asks for an extension, of which none is
  /// supported (RFC 7515 §4.1.11).
  public init?(_ text: String) {
    guard text.utf8.count <= JSONWebToken.longest else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = JSONWebToken.document(parts[0]),
      let claims = JSONWebToken.document(parts[1]), let signature = JSONWebToken.bytes(parts[2]),
      !signature.isEmpty, header["crit"] == nil, header["b64"] == nil
    else { return nil }
    self.header = header
    self.claims = claims
    self.signature = signature
    message = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
  }

  /// The `kid` of the header: the key that the token says it was signed with.
  public var keyID: String? { header["kid"]?.text }

  /// Whether it was signed with HS256 (RFC 7518 §3.2) by that key.
  func isSigned(by secret: [UInt8]) -> Bool {
    header["alg"]?.text == "HS256" && MessageCode.isValid(signature, for: message, key: secret)
  }

  /// Whether it was signed by that key's private half, with the algorithm that the key is for.
  func isSigned(by key: PublicKey) -> Bool {
    header["alg"]?.text == key.algorithm.rawValue && key.isValid(signature, for: message)
  }

  /// Whether the time lies between the token's `nbf` and `exp`; false without `exp`, or if one of them is no date.
  public func isCurrent(at now: Date) -> Bool {
    guard let end = claims["exp"]?.numericDate, now.seconds < end else { return false }
    for name in ["nbf", "iat"] {
      guard let claim = claims[name] else { continue }
      guard let begin = claim.numericDate, begin <= now.seconds + JSONWebToken.leeway else { return false }
    }
    return true
  }

  /// Returns a token with the claims, signed with HS256.
  static func sign(_ claims: Document, with secret: [UInt8], keyID: String) -> String {
    let header: Document = ["alg": .string("HS256"), "typ": .string("JWT"), "kid": .string(keyID)]
    let parts = [header, claims].map { Base64.encode(Value.document($0).plainJSON, as: .urlSafe) }
    let message = parts.joined(separator: ".")
    let signature = MessageCode.of(Array(message.utf8), key: secret)
    return "\(message).\(Base64.encode(signature, as: .urlSafe))"
  }

  private static func document(_ part: Substring.UTF8View) -> Document? {
    // Plain: `{"$numberLong": …}` is no number there.
    guard let bytes = bytes(part), case .document(let document)? = try? Value(json: bytes, as: .plain),
      Value.document(document).hasUniqueKeys
    else { return nil }
    return document
  }

  /// Without padding (RFC 7515 §2), so that a token has one spelling.
  private static func bytes(_ part: Substring.UTF8View) -> [UInt8]? {
    part.last == UInt8(ascii: "=") ? nil : Base64.decode(String(Substring(part)), as: .urlSafe)
  }
}

extension Value {
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The number without its fraction, in seconds.
  var seconds: Int64? {
    switch self {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    case .double(let number): Int64(exactly: number.rounded(.down))
    default: nil
    }
  }

  /// A NumericDate (RFC 7519 §2), which may have a fraction, up to the year 9999; nil if the value is none.
  fileprivate var numericDate: Int64? { seconds.flatMap { (0...253_402_300_799).contains($0) ? $0 : nil } }

  /// Whether no document in the value has a name twice.
  fileprivate var hasUniqueKeys: Bool {
    switch self {
    case .document(let document):
      Set(document.elements.map(\.key)).count == document.elements.count
        && document.elements.allSatisfy(\.value.hasUniqueKeys)
    case .array(let values): values.allSatisfy(\.hasUniqueKeys)
    default: true
    }
  }
}
