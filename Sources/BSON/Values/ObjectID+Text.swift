extension ObjectID: TextRepresentable {
  /// Reads 24 hexadecimal digits of either case.
  public init?(text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 24,
      let high = Hexadecimal.word(text, from: 0, count: 16),
      let low = Hexadecimal.word(text, from: 16, count: 8)
    else { return nil }
    self.init(high: high, low: UInt32(truncatingIfNeeded: low))
  }

  /// Appends 24 lower-case hexadecimal digits.
  public func appendText(to bytes: inout [UInt8]) {
    Hexadecimal.append(high, count: 16, to: &bytes)
    Hexadecimal.append(UInt64(low), count: 8, to: &bytes)
  }
}
