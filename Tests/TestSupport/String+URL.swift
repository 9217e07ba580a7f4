extension String {
  /// Percent-encoded for a URL (RFC 3986 §2.3: all but the unreserved).
  public var percentEncoded: String {
    utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      if byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character)) {
        return String(character)
      }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
