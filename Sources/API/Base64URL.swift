/// Base64url without padding (RFC 4648 §5), which needs no encoding in a URL.
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var (buffer, bits): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(buffer >> bits & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil where the text is not exactly what ``text(_:)`` makes of some bytes.
  static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var (buffer, bits): (UInt32, UInt32) = (0, 0)
    for character in text.utf8 {
      guard let digit = digit(character) else { return nil }
      buffer = buffer << 6 | UInt32(digit)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
    }
    let isCanonical = bits < 6 && buffer & (1 << bits - 1) == 0
    return isCanonical ? bytes : nil
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
