/// Why percent-encoded text can't be decoded.
public enum PercentEncodingError: Error, Hashable, Sendable {
  /// A `%` without two hexadecimal digits after it.
  case incompleteTriplet(offset: Int)
  /// `%00`.
  case null(offset: Int)
  /// Bytes that are not UTF-8: overlong forms, surrogates and stray bytes included.
  case invalidUTF8
}

/// Percent-encoding of text (RFC 3986 §2.1).
enum PercentEncoding {
  /// The text that the bytes stand for.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool = false
  ) throws(PercentEncodingError) -> String {
    if isPlain(bytes, plusIsSpace: plusIsSpace) { return String(decoding: bytes, as: UTF8.self) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    try decode(bytes, plusIsSpace: plusIsSpace, into: &decoded)
    guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
    return text
  }

  /// Whether the bytes stand for themselves.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool) -> Bool {
    for byte in bytes {
      if byte >= 0x80 || byte == UInt8(ascii: "%") || plusIsSpace && byte == UInt8(ascii: "+") {
        return false
      }
    }
    return true
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool, into decoded: inout [UInt8]
  ) throws(PercentEncodingError) {
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "%"):
        decoded.append(try triplet(bytes, at: index))
        index += 3
      case UInt8(ascii: "+") where plusIsSpace:
        decoded.append(UInt8(ascii: " "))
        index += 1
      case let byte:
        decoded.append(byte)
        index += 1
      }
    }
  }

  /// The byte that the triplet at `index` stands for.
  private static func triplet(_ bytes: UnsafeRawBufferPointer, at index: Int) throws(PercentEncodingError)
    -> UInt8
  {
    guard index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalDigit,
      let low = bytes[index + 2].hexadecimalDigit
    else { throw .incompleteTriplet(offset: index) }
    guard high | low != 0 else { throw .null(offset: index) }
    return high << 4 | low
  }
}
