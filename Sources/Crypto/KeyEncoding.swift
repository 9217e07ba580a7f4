/// Writes RSA keys in DER (X.690 §8, §10), in which OpenSSL reads them.
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
