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
    if isPlain(bytes, plusIsSpace: plusIsSpace) { return String(ascii: bytes) }
    return try decodeEach(bytes, plusIsSpace: plusIsSpace)
  }

  private static func decodeEach(
    _ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool
  ) throws(PercentEncodingError) -> String {
    // A closure would lose the type of the error.
    return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { decoded in
      Result { () throws(PercentEncodingError) in
        let count = try decode(bytes, plusIsSpace: plusIsSpace, into: decoded)
        let text = try? UTF8Span(validating: decoded.span.extracting(first: count))
        guard let text else { throw .invalidUTF8 }
        return String(copying: text)
      }
    }.get()
  }

  /// Whether bytes in ASCII can be decoded.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = bytes.index(of: UInt8(ascii: "%"), from: 0)
    var isASCII = true
    while index < bytes.count {
      guard let byte = try? triplet(bytes, at: index) else { return false }
      if byte >= 0x80 { isASCII = false }
      index = bytes.index(of: UInt8(ascii: "%"), from: index + 3)
    }
    // Whether the bytes are UTF-8 is known only once they are decoded.
    return isASCII || (try? decode(bytes)) != nil
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

  /// Writes what the bytes stand for, and gives how many bytes that is.
  private static func decode(
    _ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool, into decoded: UnsafeMutableBufferPointer<UInt8>
  ) throws(PercentEncodingError) -> Int {
    var index = 0
    var count = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "%"):
        decoded[count] = try triplet(bytes, at: index)
        index += 3
      case UInt8(ascii: "+") where plusIsSpace:
        decoded[count] = UInt8(ascii: " ")
        index += 1
      case let byte:
        decoded[count] = byte
        index += 1
      }
      count += 1
    }
    return count
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

extension String {
  /// The text of bytes in ASCII; a short one is made in place.
  init(ascii bytes: UnsafeRawBufferPointer) {
    self.init(unsafeUninitializedCapacity: bytes.count) { text in
      UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
      return bytes.count
    }
  }
}
