extension [UInt8] {
  /// Appends bytes; `append(contentsOf:)` is generic code that is called, not inlined.
  @inlinable @inline(__always)
  public mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
    append(addingCapacity: source.count) { output in
      output.append(source)
    }
  }

  /// Appends text that needs no escapes between quotes, in one step.
  @inlinable @inline(__always)
  mutating func append(_ text: UnsafeBufferPointer<UInt8>, comma: Bool, colon: Bool) {
    append(addingCapacity: text.count + 4) { output in
      if comma { output.append(0x2C) }
      output.append(0x22)
      output.append(text)
      output.append(0x22)
      if colon { output.append(0x3A) }
    }
  }

  /// Appends the content of a JSON string: quotes, backslashes and control characters escaped, all else as it is.
  ///
  /// In pieces, each of which has room for what its escapes take at most.
  public mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    guard let base = utf8.baseAddress else { return }
    var start = 0
    while start < utf8.count {
      let piece = UnsafeBufferPointer(start: base + start, count: Swift.min(utf8.count - start, 64))
      append(addingCapacity: piece.count * 6) { $0.appendEscaped(piece) }
      start += piece.count
    }
  }

  /// Appends an integer in decimal.
  public mutating func appendDecimal(_ value: Int64) {
    if value < 0 { append(0x2D) }
    appendDecimal(value.magnitude)
  }

  private mutating func appendDecimal(_ value: UInt64) {
    if value < 100_000_000 {
      let digits = EightDigits(value)
      return append(digits, from: digits.zeros)
    }
    appendDecimal(value / 100_000_000)
    append(EightDigits(value % 100_000_000), from: 0)
  }

  private mutating func append(_ digits: EightDigits, from first: Int) {
    append(addingCapacity: 8 - first) { output in
      var rest = digits.characters >> UInt64(8 * first)
      for _ in first..<8 {
        output.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
    }
  }

  /// Appends the shortest digits that give the same finite double, always with a point or an exponent.
  @usableFromInline
  mutating func appendShortest(_ value: Double) {
    if value.magnitude < 1e15, appendShort(value) { return }
    appendDescription(value.description)
  }

  /// Appends the shortest digits that give the same finite float32, always with a point or an exponent.
  @usableFromInline
  mutating func appendShortest(_ value: Float) {
    appendDescription(value.description)
  }

  private mutating func appendDescription(_ description: String) {
    var description = description
    description.withUTF8 { append($0) }
  }

  /// Appends a double that is a decimal of at most 15 digits, up to six of them after the point.
  ///
  /// Such a decimal is the only one so short that gives the double, since 15 digits always survive the way
  /// through a double; the quotient of two exact doubles proves that it does give it. This takes a fraction
  /// of the time of the general way.
  private mutating func appendShort(_ value: Double) -> Bool {
    var power = 1.0
    for countOfDecimals in 0...6 {
      let scaled = (value.magnitude * power).rounded()
      if scaled >= 1e15 { return false }
      if scaled / power == value.magnitude {
        if value.sign == .minus { append(0x2D) }
        let (whole, rest) = UInt64(scaled).quotientAndRemainder(dividingBy: UInt64(power))
        appendDecimal(whole)
        appendFraction(rest, countOfDecimals: countOfDecimals)
        return true
      }
      power *= 10
    }
    return false
  }

  private mutating func appendFraction(_ fraction: UInt64, countOfDecimals: Int) {
    append(0x2E)
    if countOfDecimals == 0 { return append(0x30) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: countOfDecimals) { digits in
      var rest = fraction
      for index in (0..<countOfDecimals).reversed() {
        digits.initializeElement(at: index, to: 0x30 &+ UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
      }
      append(UnsafeBufferPointer(digits))
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends bytes.
  @inlinable @inline(__always)
  public mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
    guard let base = source.baseAddress else { return }
    withUnsafeMutableBufferPointer { buffer, count in
      precondition(buffer.count - count >= source.count, "there is room for all that is appended")
      if let free = buffer.baseAddress { (free + count).initialize(from: base, count: source.count) }
      count += source.count
    }
  }

  /// Appends the bytes of an integer, the lowest first.
  @inlinable @inline(__always)
  public mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
    var rest = value
    for _ in 0..<Integer.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Appends the content of a JSON string; there is room for six times as many bytes.
  ///
  /// Eight bytes are copied at once, and only those before the first special one of them are kept.
  fileprivate mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    guard let base = utf8.baseAddress else { return }
    var index = 0
    while index < utf8.count {
      if index + 8 <= utf8.count {
        let word = StringScan.word(base + index)
        let clean = StringScan.countBeforeSpecial(word)
        append(word, count: clean)
        index += clean
        if clean == 8 { continue }
      }
      appendEscaped(base[index])
      index += 1
    }
  }

  /// Appends the lowest bytes of a word; there is room for all of it.
  @inline(__always)
  private mutating func append(_ word: UInt64, count: Int) {
    withUnsafeMutableBufferPointer { buffer, filled in
      precondition(buffer.count - filled >= 8, "there is room for the whole word")
      UnsafeMutableRawBufferPointer(buffer).storeBytes(
        of: word.littleEndian, toByteOffset: filled, as: UInt64.self)
      filled += count
    }
  }

  @inline(__always)
  private mutating func appendEscaped(_ byte: UInt8) {
    if byte >= 0x20, byte != 0x22, byte != 0x5C { return append(byte) }
    append(0x5C)
    switch byte {
    case 0x22, 0x5C: append(byte)
    case 0x08: append(0x62)
    case 0x09: append(0x74)
    case 0x0A: append(0x6E)
    case 0x0C: append(0x66)
    case 0x0D: append(0x72)
    default:
      append(0x75)
      append(0x30)
      append(0x30)
      append(Hexadecimal.digit(byte >> 4))
      append(Hexadecimal.digit(byte & 0xF))
    }
  }
}
