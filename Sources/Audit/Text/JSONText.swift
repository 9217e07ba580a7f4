import BSON

/// Compact JSON as Realm's recorder writes it (nlohmann's `dump()`), so that the two trails can be compared byte by
/// byte. It differs from ours in when doubles have an exponent.
struct JSONText {
  var bytes: [UInt8] = []

  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func null() { bytes.append(contentsOf: "null".utf8) }

  mutating func bool(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }

  mutating func int(_ value: Int64) { bytes.append(contentsOf: String(value).utf8) }

  /// The shortest digits that give the same double. What JSON has no number for is null.
  mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    // nlohmann's `format_buffer`: an exponent from 10^15 on and below 10^-4. Swift's begins at 2^54 only.
    let text = value.description
    guard value.magnitude >= 1e15, !text.contains("e") else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    let whole = text.utf8.prefix { $0 != UInt8(ascii: ".") }.filter { $0 != UInt8(ascii: "-") }
    let exponent = whole.count - 1
    var digits = whole + text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
    while digits.count > 1, digits.last == 0x30 { digits.removeLast() }
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(digits[0])
    if digits.count > 1 {
      bytes.append(UInt8(ascii: "."))
      bytes += digits.dropFirst()
    }
    bytes.append(contentsOf: "e+\(exponent)".utf8)
  }

  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      // What needs no escape goes in one piece up to what does.
      var start = 0
      for index in utf8.indices where unsafe utf8[index] < 0x20 || utf8[index] == 0x22 || utf8[index] == 0x5C
      {
        unsafe bytes.append(contentsOf: utf8[start..<index])
        unsafe escape(utf8[index])
        start = index + 1
      }
      unsafe bytes.append(contentsOf: utf8[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Text without anything that needs an escape.
  mutating func quoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Milliseconds, always three digits, later ones cut off.
  mutating func date(_ value: Date) {
    let text = Date(seconds: value.seconds).description
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8.dropLast())
    let milliseconds = String(value.nanoseconds / 1_000_000)
    bytes.append(UInt8(ascii: "."))
    bytes.append(contentsOf: String(repeating: "0", count: 3 - milliseconds.utf8.count).utf8)
    bytes.append(contentsOf: milliseconds.utf8)
    bytes.append(contentsOf: "Z\"".utf8)
  }

  /// Appends a byte that does not stand in a text as it is.
  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22: escape(as: "\"")
    case 0x5C: escape(as: "\\")
    case 0x08: escape(as: "b")
    case 0x0C: escape(as: "f")
    case 0x0A: escape(as: "n")
    case 0x0D: escape(as: "r")
    case 0x09: escape(as: "t")
    default:
      append(#"\u00"#)
      bytes.append(contentsOf: String(byte >> 4, radix: 16).utf8)
      bytes.append(contentsOf: String(byte & 15, radix: 16).utf8)
    }
  }

  private mutating func escape(as letter: Unicode.Scalar) {
    bytes.append(UInt8(ascii: "\\"))
    bytes.append(UInt8(ascii: letter))
  }
}
