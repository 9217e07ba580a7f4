/// Writes keys and signatures in DER (X.690 §8, §10), in which OpenSSL reads them.
enum KeyEncoding {
  private enum Tag: UInt8 {
    case integer = 0x02
    case bitString = 0x03
    case sequence = 0x30
  }

  /// `rsaEncryption` with its parameters, which are null (RFC 3279 §2.3.1).
  private static let algorithm: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]

  /// `id-ecPublicKey` on the curve `secp256r1` (RFC 5480 §2.1.1).
  private static let curveAlgorithm: [UInt8] = [
    0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D, 0x03, 0x01, 0x07,
  ]

  /// Returns a SubjectPublicKeyInfo of a point, which is not compressed (RFC 5480 §2.2).
  static func publicKey(x: [UInt8], y: [UInt8]) -> [UInt8] {
    element(.sequence, curveAlgorithm + element(.bitString, [0, 4] + x + y))
  }

  /// Returns an ECDSA-Sig-Value (RFC 3279 §2.2.3).
  static func signature(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
    element(.sequence, integer(r) + integer(s))
  }

  /// Returns a SubjectPublicKeyInfo (RFC 5280 §4.1).
  static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
    let key = element(.sequence, integer(modulus) + integer(exponent))
    // No bit of the last byte is unused.
    return element(.sequence, algorithm + element(.bitString, [0] + key))
  }

  private static func integer(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    // A first bit that is set would be a sign.
    let isNegative = digits.first.map { $0 & 0x80 != 0 } ?? true
    return element(.integer, isNegative ? [0] + digits : digits)
  }

  private static func element(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    let head = content.count < 128 ? [UInt8(content.count)] : [0x80 | UInt8(length.count)] + length
    return [tag.rawValue] + head + content
  }
}
