extension UUID: TextRepresentable {
  /// Reads `8-4-4-4-12` hexadecimal digits of either case (RFC 9562 §4).
  public init?(text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36, text[8] == 0x2D, text[13] == 0x2D, text[18] == 0x2D, text[23] == 0x2D,
      let timeLow = Hexadecimal.word(text, from: 0, count: 8),
      let timeMiddle = Hexadecimal.word(text, from: 9, count: 4),
      let timeHigh = Hexadecimal.word(text, from: 14, count: 4),
      let sequence = Hexadecimal.word(text, from: 19, count: 4),
      let node = Hexadecimal.word(text, from: 24, count: 12)
    else { return nil }
    self.init(high: timeLow << 32 | timeMiddle << 16 | timeHigh, low: sequence << 48 | node)
  }

  /// Appends `8-4-4-4-12` lower-case hexadecimal digits.
  public func appendText(to bytes: inout [UInt8]) {
    Hexadecimal.append(high >> 32, count: 8, to: &bytes)
    bytes.append(0x2D)
    Hexadecimal.append(high >> 16, count: 4, to: &bytes)
    bytes.append(0x2D)
    Hexadecimal.append(high, count: 4, to: &bytes)
    bytes.append(0x2D)
    Hexadecimal.append(low >> 48, count: 4, to: &bytes)
    bytes.append(0x2D)
    Hexadecimal.append(low, count: 12, to: &bytes)
  }
}
