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
