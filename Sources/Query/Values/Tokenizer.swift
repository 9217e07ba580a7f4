/// Cuts text into the words that full-text search knows (realm-core's `tokenizer.cpp`).
///
/// A word is a run of ASCII letters, digits and letters of the Latin-1 supplement, in lower case and without
/// diacritics except å æ ð ø þ ß. Everything else, ÿ included, separates.
package enum Tokenizer {
  /// A word and how many bytes of the text it took.
  package struct Token {
    package var text: String
    package var length: Int
  }

  package static func tokens<Bytes: Sequence<UInt8>>(in text: Bytes) -> [Token] {
    var tokens: [Token] = []
    var word: [UInt8] = []
    var length = 0
    func finish() {
      if length > 0 { tokens.append(Token(text: String(decoding: word, as: UTF8.self), length: length)) }
      (word, length) = ([], 0)
    }
    var lead: UInt8 = 0
    for byte in text {
      if lead == 0xC3, let folded = Self.folded(byte) {
        word += folded
        length += 2
        lead = 0
        continue
      }
      lead = byte == 0xC3 ? byte : 0
      if byte.isDigit || byte.isLetter {
        word.append(byte.isLetter ? byte | 0x20 : byte)
        length += 1
      } else if lead == 0 {
        finish()
      } else {
        continue
      }
    }
    finish()
    return tokens
  }

  /// Returns the folded form of the letter U+00C0 … U+00FF, from the second byte of its UTF-8.
  private static func folded(_ byte: UInt8) -> [UInt8]? {
    guard 0x80...0xBF ~= byte else { return nil }
    // Lower case is 0x20 further on.
    let lower = byte < 0xA0 && byte != 0x97 && byte != 0x9F ? byte + 0x20 : byte
    switch lower {
    case 0xA0...0xA4: return [UInt8(ascii: "a")]
    case 0x9F, 0xA5, 0xA6, 0xB0, 0xB8, 0xBE: return [0xC3, lower]
    case 0xA7: return [UInt8(ascii: "c")]
    case 0xA8...0xAB: return [UInt8(ascii: "e")]
    case 0xAC...0xAF: return [UInt8(ascii: "i")]
    case 0xB1: return [UInt8(ascii: "n")]
    case 0xB2...0xB6: return [UInt8(ascii: "o")]
    case 0xB9...0xBC: return [UInt8(ascii: "u")]
    case 0xBD: return [UInt8(ascii: "y")]
    default: return nil
    }
  }
}
