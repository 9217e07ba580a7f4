import GatehouseBSON

/// Compact JSON as Realm's recorder writes it (nlohmann's `dump()`), so that the two trails can be compared byte by
/// byte. It differs from ours in when doubles have an exponent.
struct JSONText {
  var bytes: [UInt8] = []

  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append($0) }
  }

  /// Appends text that is JSON already, or a part of it.
  mutating func verbatim(_ text: String) {
    var text = text
    text.withUTF8 { unsafe bytes.append($0) }
  }

  /// Appends bytes as they are: they are JSON already.
  mutating func verbatim(_ text: [UInt8]) {
    unsafe text.withUnsafeBufferPointer { unsafe bytes.append($0) }
  }

  mutating func null() { append("null") }

  mutating func bool(_ value: Bool) { append(value ? "true" : "false") }

  mutating func int(_ value: Int64) { bytes.appendDecimal(value) }

  /// Appends the shortest digits that give the same double; null for a number that JSON has none for.
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
    text.withUTF8 { unsafe bytes.appendEscaped($0) }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Appends a string without anything that needs an escape.
  mutating func quoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    verbatim(text)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a value as a string.
  mutating func quoted(_ value: some TextRepresentable) {
    bytes.append(UInt8(ascii: "\""))
    value.appendText(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a date with milliseconds, always three digits, later ones cut off.
  mutating func date(_ value: Date) {
    bytes.append(UInt8(ascii: "\""))
    Date(seconds: value.seconds).appendText(to: &bytes)
    // Before the Z.
    bytes.removeLast()
    bytes.append(UInt8(ascii: "."))
    let milliseconds = value.nanoseconds / 1_000_000
    digit(milliseconds / 100)
    digit(milliseconds / 10 % 10)
    digit(milliseconds % 10)
    append("Z\"")
  }

  private mutating func digit(_ value: Int32) {
    bytes.append(UInt8(ascii: "0") + UInt8(value))
  }
}
