/// Classes of bytes (`query_flex.ll`).
extension UInt8 {
  var isDigit: Bool { self &- 0x30 < 10 }
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
  /// Letters, `_`, `$`, and every byte of a character beyond ASCII.
  var beginsIdentifier: Bool { isLetter || self == 0x5F || self == 0x24 || self >= 0x80 }
  var continuesIdentifier: Bool { beginsIdentifier || isDigit || self == 0x2D }
}
