import GatehouseBSON
import Testing

@testable import GatehouseAudit

/// The texts of nlohmann's JSON library for the same doubles (3.11, `dump()`).
@Test(arguments: [
  (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (Double(Float(1.1)), "1.100000023841858"),
  (123_456_789_012_345, "123456789012345.0"), (1e15, "1e+15"),
  (1_234_567_890_123_456.0, "1.234567890123456e+15"),
  (1_234_567_890_123_456.5, "1.2345678901234565e+15"), (1e16, "1e+16"), (-2.5e20, "-2.5e+20"),
  (0.0001, "0.0001"),
  (0.00001, "1e-05"), (1.5e-7, "1.5e-07"), (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"),
  (.nan, "null"),
])
func `doubles have the digits that Realm's recorder gives them`(value: Double, text: String) {
  var output = JSONText()
  output.double(value)
  #expect(String(decoding: output.bytes, as: UTF8.self) == text)
}

@Test func `text is escaped where JSON demands it, and nowhere else`() {
  var output = JSONText()
  output.string("\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é😀")
  #expect(
    String(decoding: output.bytes, as: UTF8.self)
      == #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7F}é😀\"")
}

@Test(arguments: [
  (Date(seconds: 123), "1970-01-01T00:02:03.000Z"),
  (Date(seconds: 0, nanoseconds: 1_999_999), "1970-01-01T00:00:00.001Z"),
  (Date(seconds: 1_700_000_000, nanoseconds: 123_456_789), "2023-11-14T22:13:20.123Z"),
])
func `dates have three digits of milliseconds, later ones cut off`(date: Date, text: String) {
  var output = JSONText()
  output.date(date)
  #expect(String(decoding: output.bytes, as: UTF8.self) == "\"\(text)\"")
}
