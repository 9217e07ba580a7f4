// Character classes of RFC 9110 §5.6 and RFC 3986, as 128-bit maps: a lookup is two shifts.

extension UInt8 {
  /// Whether the byte may stand in a token (RFC 9110 §5.6.2).
  var isTokenCharacter: Bool {
    contains(low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe)
  }

  /// Whether the byte may stand in a path (`pchar` of RFC 3986 §3.3, and `/`). Includes `%`.
  var isPathCharacter: Bool {
    contains(low: 0x2fff_fff2_0000_0000, high: 0x47ff_fffe_87ff_ffff)
  }

  /// Whether the byte is accepted in a query: visible ASCII but `#`.
  ///
  /// RFC 3986 §3.4 names fewer, but people type `?filter=a>1` into clients that do not encode it, and no two
  /// readers can disagree on where such a query ends.
  var isQueryCharacter: Bool {
    self > 0x20 && self < 0x7f && self != UInt8(ascii: "#")
  }

  /// Whether the byte may stand in a registered name or an IPv4 address (RFC 3986 §3.2.2).
  var isRegisteredNameCharacter: Bool {
    contains(low: 0x2bff_7ff2_0000_0000, high: 0x47ff_fffe_87ff_fffe)
  }

  /// Whether the byte may stand in a field value (RFC 9110 §5.5): visible, space, tab, or obs-text.
  var isFieldValueCharacter: Bool {
    self >= 0x20 ? self != 0x7f : self == 0x09
  }

  /// Space or horizontal tab (`OWS` of RFC 9110 §5.6.3).
  var isWhitespace: Bool { self == 0x20 || self == 0x09 }

  /// The byte in lower case, if it is an ASCII letter.
  var lowercased: UInt8 {
    self &- 0x41 < 26 ? self | 0x20 : self
  }

  /// The value of the byte as a decimal digit; nil if it is none.
  var decimalDigit: UInt8? {
    let digit = self &- 0x30
    return digit < 10 ? digit : nil
  }

  /// The value of the byte as a hexadecimal digit; nil if it is none.
  var hexadecimalDigit: UInt8? {
    if let digit = decimalDigit { return digit }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }

  @inline(__always)
  private func contains(low: UInt64, high: UInt64) -> Bool {
    guard self < 128 else { return false }
    return ((self < 64 ? low : high) >> UInt64(self & 63)) & 1 == 1
  }
}
