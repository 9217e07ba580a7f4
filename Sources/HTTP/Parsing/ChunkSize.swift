/// The grammar of a chunk-size line: `chunk-size [ chunk-ext ]` (RFC 9112 §7.1).
enum ChunkSize {
  /// The size that the line gives; its extensions are checked and dropped.
  static func parse(_ line: UnsafeRawBufferPointer, offset: Int) throws(RequestError) -> Int {
    var size = 0
    var index = 0
    while index < line.count, let digit = line[index].hexadecimalDigit {
      // Fifteen digits can't overflow, and no body comes near.
      guard index < 15 else { throw RequestError(.malformedChunkSize, offset: offset) }
      size = size << 4 | Int(digit)
      index += 1
    }
    guard index > 0, index == line.count || line[index] == UInt8(ascii: ";") else {
      throw RequestError(.malformedChunkSize, offset: offset)
    }
    while index < line.count {
      guard let end = extensionEnd(line, from: index) else {
        throw RequestError(.malformedChunkExtension, offset: offset + index)
      }
      index = end
    }
    return size
  }

  /// Where the extension that begins at `start` ends; nil when it is malformed.
  ///
  ///     chunk-ext = ";" token [ "=" ( token / quoted-string ) ]
  ///
  /// The white space that RFC 9112 §7.1.1 calls bad is refused: nobody sends it in good faith.
  private static func extensionEnd(_ line: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard line[start] == UInt8(ascii: ";"), let nameEnd = tokenEnd(line, from: start + 1) else { return nil }
    guard nameEnd < line.count, line[nameEnd] == UInt8(ascii: "=") else { return nameEnd }
    if nameEnd + 1 < line.count, line[nameEnd + 1] == UInt8(ascii: "\"") {
      return quotedEnd(line, from: nameEnd + 2)
    }
    return tokenEnd(line, from: nameEnd + 1)
  }

  private static func tokenEnd(_ line: UnsafeRawBufferPointer, from start: Int) -> Int? {
    let end = line.tokenEnd(from: start)
    return end > start ? end : nil
  }

  /// Where the quoted string whose first character is at `start` ends, its quote included.
  private static func quotedEnd(_ line: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var index = start
    while index < line.count, line[index].isFieldValueCharacter {
      switch line[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"):
        guard index + 1 < line.count, line[index + 1].isFieldValueCharacter else { return nil }
        index += 2
      default: index += 1
      }
    }
    return nil
  }
}
