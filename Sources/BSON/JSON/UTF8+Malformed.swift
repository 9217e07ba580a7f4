extension UTF8 {
  /// The offset of the first byte that is not part of a well-formed sequence, or nil.
  static func offsetOfMalformed(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes are well-formed UTF-8. ASCII is looked at eight bytes at a time.
  @inlinable
  public var isUTF8: Bool {
    guard let base = baseAddress else { return true }
    var (index, seen) = (0, UInt64(0))
    while index + 8 <= count {
      seen |= UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
      index += 8
    }
    while index < count {
      seen |= UInt64(base[index])
      index += 1
    }
    return seen & 0x8080_8080_8080_8080 == 0 || isMultibyteUTF8
  }

  @usableFromInline
  var isMultibyteUTF8: Bool { UTF8.offsetOfMalformed(in: self) == nil }
}
