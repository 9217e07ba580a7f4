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
    _ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false
  ) throws(PercentEncodingError) -> String {
    let isPlain = bytes.allSatisfy { byte in
      byte < 0x80 && byte != UInt8(ascii: "%") && (byte != UInt8(ascii: "+") || !plusIsSpace)
    }
    if isPlain { return String(decoding: bytes, as: UTF8.self) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    try decode(bytes, plusIsSpace: plusIsSpace, into: &decoded)
    guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
    return text
  }

  private static func decode(
    _ bytes: ArraySlice<UInt8>, plusIsSpace: Bool, into decoded: inout [UInt8]
  ) throws(PercentEncodingError) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
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
  private static func triplet(_ bytes: ArraySlice<UInt8>, at index: Int) throws(PercentEncodingError) -> UInt8
  {
    let offset = index - bytes.startIndex
    guard index + 2 < bytes.endIndex, let high = bytes[index + 1].hexadecimalDigit,
      let low = bytes[index + 2].hexadecimalDigit
    else { throw .incompleteTriplet(offset: offset) }
    guard high | low != 0 else { throw .null(offset: offset) }
    return high << 4 | low
  }
}
