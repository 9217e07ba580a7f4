extension JSONReader {
  /// Where the bytes of a string are, and where in the text it began.
  struct Extent {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The offset after the opening quote.
    let start: Int
    let isASCII: Bool
  }

  mutating func readString() throws(JSONError) -> String {
    try string(try readExtentOfString())
  }

  /// Reads to behind the closing quote.
  ///
  /// The bytes are valid until the next string is read: they are the text's, or ``unescaped``'s.
  @inline(__always)
  mutating func readExtentOfString() throws(JSONError) -> Extent {
    let start = position + 1
    let stop = StringScan.firstSpecial(bytes, from: start, to: end)
    guard stop.position < end else { throw JSONError(.unexpectedEnd, at: end) }
    guard bytes[stop.position] == 0x22 else { return try readEscapedString(from: start, to: stop.position) }
    position = stop.position + 1
    let text = UnsafeBufferPointer(start: bytes + start, count: stop.position - start)
    return Extent(bytes: text, start: start, isASCII: stop.isASCII)
  }

  func string(_ extent: Extent) throws(JSONError) -> String {
    if extent.isASCII {
      return String(copying: UTF8Span(unchecked: extent.bytes.span, isKnownASCII: true))
    }
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: extent.bytes.span))
    } catch {
      throw JSONError(.malformedUTF8, at: offset(of: error, in: extent))
    }
  }

  private func offset(of error: UTF8.ValidationError, in extent: Extent) -> Int {
    let isText = extent.bytes.baseAddress == bytes + extent.start
    if isText { return extent.start + error.byteOffsets.lowerBound }
    // Escapes are ASCII, so what is malformed stands in the text as it is.
    let text = UnsafeBufferPointer(start: bytes + extent.start, count: position - 1 - extent.start)
    return extent.start + (UTF8.offsetOfMalformed(in: text) ?? 0)
  }

  private mutating func readEscapedString(from start: Int, to firstStop: Int) throws(JSONError) -> Extent {
    unescaped.drop(from: 0)
    var (from, stop) = (start, firstStop)
    while true {
      unescaped.push(contentsOf: UnsafeBufferPointer(start: bytes + from, count: stop - from))
      guard stop < end else { throw JSONError(.unexpectedEnd, at: end) }
      position = stop
      if bytes[stop] == 0x22 { break }
      guard bytes[stop] == 0x5C else { throw error(.controlCharacter) }
      try readEscape()
      from = position
      stop = StringScan.firstSpecial(bytes, from: from, to: end).position
    }
    position += 1
    return Extent(
      bytes: UnsafeBufferPointer(start: unescaped.items, count: unescaped.count), start: start,
      isASCII: false)
  }

  private mutating func readEscape() throws(JSONError) {
    guard position + 1 < end else { throw JSONError(.unexpectedEnd, at: end) }
    let letter = bytes[position + 1]
    switch letter {
    case 0x22, 0x5C, 0x2F: unescaped.push(letter)
    case 0x62: unescaped.push(0x08)
    case 0x66: unescaped.push(0x0C)
    case 0x6E: unescaped.push(0x0A)
    case 0x72: unescaped.push(0x0D)
    case 0x74: unescaped.push(0x09)
    case 0x75: return try readUnicodeEscape()
    default: throw error(.malformedEscape)
    }
    position += 2
  }

  /// Reads `\uXXXX`, or two of them that are a surrogate pair.
  private mutating func readUnicodeEscape() throws(JSONError) {
    let unit = try hexadecimal(at: position + 2)
    var scalar = unit
    var length = 6
    if 0xD800...0xDFFF ~= unit {
      guard unit < 0xDC00, position + 7 < end, bytes[position + 6] == 0x5C, bytes[position + 7] == 0x75
      else { throw error(.loneSurrogate) }
      let trail = try hexadecimal(at: position + 8)
      guard 0xDC00...0xDFFF ~= trail else { throw error(.loneSurrogate) }
      scalar = 0x10000 + (unit - 0xD800) << 10 + (trail - 0xDC00)
      length = 12
    }
    guard let scalar = Unicode.Scalar(scalar) else { throw error(.loneSurrogate) }
    for byte in scalar.utf8 { unescaped.push(byte) }
    position += length
  }

  private func hexadecimal(at start: Int) throws(JSONError) -> UInt32 {
    guard start + 4 <= end else { throw JSONError(.unexpectedEnd, at: end) }
    let digits = UnsafeBufferPointer(start: bytes + start, count: 4)
    guard let unit = Hexadecimal.word(digits, from: 0, count: 4) else { throw error(.malformedEscape) }
    return UInt32(unit)
  }
}
