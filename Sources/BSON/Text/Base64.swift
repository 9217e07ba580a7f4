/// Base 64 of bytes (RFC 4648).
public enum Base64 {
  /// Which letters stand for 62 and 63, and whether the text is padded.
  public enum Alphabet: Sendable {
    /// `+` and `/`, padded (§4).
    case standard
    /// `-` and `_`; written without padding, read with or without (§5).
    case urlSafe
  }

  /// Appends the text of some bytes.
  public static func append(
    _ data: UnsafeBufferPointer<UInt8>, as alphabet: Alphabet = .standard, to bytes: inout [UInt8]
  ) {
    let letters = alphabet == .standard ? standardLetters : urlSafeLetters
    letters.withUnsafeBufferPointer { letters in
      bytes.append(addingCapacity: (data.count + 2) / 3 * 4) { output in
        let whole = data.count / 3 * 3
        for index in stride(from: 0, to: whole, by: 3) {
          let word = UInt32(data[index]) << 16 | UInt32(data[index + 1]) << 8 | UInt32(data[index + 2])
          output.append(word, digits: 4, of: letters)
        }
        let rest = data.count - whole
        if rest == 0 { return }
        let word = UInt32(data[whole]) << 16 | (rest == 2 ? UInt32(data[whole + 1]) << 8 : 0)
        output.append(word, digits: rest + 1, of: letters)
        if alphabet == .standard { output.append(repeating: 0x3D, count: 3 - rest) }
      }
    }
  }

  /// The text of some bytes.
  public static func encode(_ data: [UInt8], as alphabet: Alphabet = .standard) -> String {
    var bytes: [UInt8] = []
    data.withUnsafeBufferPointer { append($0, as: alphabet, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of a text, or nil if it is malformed.
  ///
  /// Strict: no other letters, no missing padding, and no bits left over, so that every sequence of bytes
  /// has one text (§3.5).
  public static func decode(
    _ text: UnsafeBufferPointer<UInt8>, as alphabet: Alphabet = .standard
  ) -> [UInt8]? {
    guard let digits = countOfDigits(in: text, as: alphabet) else { return nil }
    let values = alphabet == .standard ? standardValues : urlSafeValues
    var seen: UInt8 = 0
    var leftover: UInt32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: digits / 4 * 3 + 2) { output, count in
      var (word, bits): (UInt32, UInt32) = (0, 0)
      for index in 0..<digits {
        let value = values[Int(text[index])]
        seen |= value
        word = word << 6 | UInt32(value & 0x3F)
        bits += 6
        if bits < 8 { continue }
        bits -= 8
        output.initializeElement(at: count, to: UInt8(truncatingIfNeeded: word >> bits))
        count += 1
      }
      leftover = word & (1 << bits - 1)
    }
    return seen & invalid == 0 && leftover == 0 ? bytes : nil
  }

  /// The bytes of a text, or nil if it is malformed.
  public static func decode(_ text: String, as alphabet: Alphabet = .standard) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode($0, as: alphabet) }
  }

  /// The number of letters before the padding, or nil if the padding is wrong.
  private static func countOfDigits(
    in text: UnsafeBufferPointer<UInt8>, as alphabet: Alphabet
  ) -> Int? {
    var digits = text.count
    while digits > 0, text.count - digits < 2, text[digits - 1] == 0x3D { digits -= 1 }
    let isPadded = text.count % 4 == 0
    let mayLackPadding = alphabet == .urlSafe && digits == text.count
    return (isPadded || mayLackPadding) && digits % 4 != 1 ? digits : nil
  }

  private static let invalid: UInt8 = 0x80
  private static let standardLetters = letters(0x2B, 0x2F)
  private static let urlSafeLetters = letters(0x2D, 0x5F)
  private static let standardValues = values(of: standardLetters)
  private static let urlSafeValues = values(of: urlSafeLetters)

  private static func letters(_ first: UInt8, _ second: UInt8) -> [UInt8] {
    [UInt8](0x41...0x5A) + [UInt8](0x61...0x7A) + [UInt8](0x30...0x39) + [first, second]
  }

  private static func values(of letters: [UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: invalid, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }
}

extension OutputSpan<UInt8> {
  /// Appends the first digits of a word of 24 bits.
  @inline(__always)
  fileprivate mutating func append(
    _ word: UInt32, digits: Int, of letters: UnsafeBufferPointer<UInt8>
  ) {
    for index in 0..<digits {
      append(letters[Int(word >> UInt32(18 - 6 * index)) & 0x3F])
    }
  }
}
