/// Names of files for any texts.
enum FileName {
  /// Returns a name that no other text has: letters and digits, and the numbers of all other bytes.
  static func of(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain = byte < 128 && Character(UnicodeScalar(byte)).isLetter || (48...57).contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "_\(byte)"
    }.joined()
  }
}
