// `_nfc` is what String itself compares by; there is no other Unicode data without Foundation.
@_spi(_Unicode) import Swift

/// The form and the equality of accounts' e-mail addresses.
public enum EmailAddress {
  /// The greatest length in bytes (RFC 5321 §4.5.3.1.3).
  public static let longest = 254

  /// Characters that look like a space although Unicode takes them for symbols, letters or marks: the blank Braille
  /// pattern, the null notehead, the Khitan filler, the blank hieroglyphs.
  private static let blanks: Set<Unicode.Scalar> = [
    "\u{2800}", "\u{1D159}", "\u{16FE4}", "\u{13441}", "\u{13442}",
  ]

  /// Whether a text has the form of an address: not too long, without control characters, spaces and invisible
  /// characters. Whether the address exists, only a mail could tell.
  public static func isValid(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longest
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
          .paragraphSeparator:
          false
        default:
          !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
            && !blanks.contains(scalar)
        }
      }
  }

  /// Returns the key that an account is stored under: addresses that differ in case only, or in how their letters are
  /// composed (`é` in one code point or two), share one.
  public static func key(_ text: String) -> String { composed(composed(text).lowercased()) }

  /// Returns the text in Unicode's normalization form C.
  private static func composed(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = ""
    for scalar in text._nfc { result.unicodeScalars.append(scalar) }
    return result
  }
}
