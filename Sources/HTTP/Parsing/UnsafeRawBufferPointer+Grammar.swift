// Reading bytes as RFC 9110 and RFC 9112 describe them. Plain loops: these are the inner ones.

extension UnsafeRawBufferPointer {
  /// The bytes from `start` to before `end`.
  @inline(__always)
  func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: baseAddress.map { $0 + start }, count: end - start)
  }

  /// Where the byte first is, from `start` on; `count` if nowhere.
  func index(of byte: UInt8, from start: Int) -> Int {
    var index = start
    // Eight bytes at a time: the first byte of `zeros` that is set is where it is.
    let wanted = UInt64(byte) &* 0x0101_0101_0101_0101
    while index + 8 <= count {
      let bytes = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let zeros = (bytes ^ wanted).zeroBytes
      if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, self[index] != byte { index += 1 }
    return index
  }

  /// Where the first LF from `start` on is.
  func firstLineFeed(from start: Int) -> Int? {
    let index = index(of: UInt8(ascii: "\n"), from: start)
    return index < count ? index : nil
  }

  /// Where, from `start` on, the first byte is that no field value may hold (RFC 9110 §5.5).
  func firstControlByte(from start: Int) -> Int? {
    let end = end(from: start, of: \.isFieldValueCharacter) { bytes in
      bytes.bytesBelow(0x20) | (bytes ^ 0x7f7f_7f7f_7f7f_7f7f).zeroBytes == 0
    }
    return end < count ? end : nil
  }

  /// Where the query that begins at `start` ends.
  func queryEnd(from start: Int) -> Int {
    end(from: start, of: \.isQueryCharacter) { bytes in
      bytes.bytesBelow(0x21) | (bytes ^ 0x7f7f_7f7f_7f7f_7f7f).zeroBytes
        | (bytes ^ 0x2323_2323_2323_2323).zeroBytes
        | bytes & 0x8080_8080_8080_8080 == 0
    }
  }

  /// Where the characters of some class end that begin at `start`; `areAll` may say so of eight at once.
  @inline(__always)
  private func end(
    from start: Int, of isOne: (UInt8) -> Bool, _ areAll: (UInt64) -> Bool
  ) -> Int {
    var index = start
    while index < count {
      // Rather some twice than the last ones one by one.
      let word = Swift.min(index, count - 8)
      if word >= 0, areAll(loadUnaligned(fromByteOffset: word, as: UInt64.self)) {
        index = word + 8
      } else if isOne(self[index]) {
        index += 1
      } else {
        break
      }
    }
    return index
  }

  /// Whether the bytes are a token (RFC 9110 §5.6.2).
  var isToken: Bool { count > 0 && tokenEnd(from: 0) == count }

  /// Where the token that begins at `start` ends; `start` if none does.
  @inline(__always)
  func tokenEnd(from start: Int) -> Int {
    var index = start
    while index < count, self[index].isTokenCharacter { index += 1 }
    return index
  }

  /// Whether the bytes are digits, and not none.
  var isNumber: Bool {
    for byte in self where byte.decimalDigit == nil { return false }
    return count > 0
  }

  /// Whether the bytes are the same.
  @inline(__always)
  func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// Whether the bytes are those of `text`.
  @inline(__always)
  func matches(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// Whether the bytes are those of `text`, which is in lower case, but for the case of ASCII letters.
  @inline(__always)
  func matchesIgnoringCase(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index].lowercased != text.utf8Start[index] { return false }
    return true
  }

  /// Without spaces and tabs at either end.
  @inline(__always)
  var trimmed: UnsafeRawBufferPointer {
    var start = 0
    var end = count
    while start < end, self[start].isWhitespace { start += 1 }
    while end > start, self[end - 1].isWhitespace { end -= 1 }
    return part(start, end)
  }

  /// The elements of a comma-separated list, trimmed, empty ones included (RFC 9110 §5.6.1).
  func forEachListElement(_ body: (UnsafeRawBufferPointer) -> Void) {
    var start = 0
    while start <= count {
      let end = index(of: UInt8(ascii: ","), from: start)
      body(part(start, end).trimmed)
      start = end + 1
    }
  }
}

extension UInt64 {
  /// The highest bit of each byte that is zero; bits above the lowest such byte may be set by mistake.
  @inline(__always)
  fileprivate var zeroBytes: UInt64 { bytesBelow(1) }

  /// The highest bit of each byte that is below `bound`, which is at most 0x80; bits above the lowest such byte may
  /// be set by mistake.
  ///
  /// A byte is below it if taking that from it borrows, which no byte from 0x80 on does.
  @inline(__always)
  fileprivate func bytesBelow(_ bound: UInt64) -> UInt64 {
    (self &- bound &* 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080
  }
}
