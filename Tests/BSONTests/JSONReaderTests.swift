import GatehouseBSON
import Testing

@Test(
  arguments: [
    ("null", Value.null), (" true\r\n", .bool(true)), ("false", .bool(false)),
    ("0", .int32(0)), ("-0", .int32(0)), ("2147483647", .int32(.max)), ("2147483648", .int64(2_147_483_648)),
    ("-2147483648", .int32(.min)), ("-2147483649", .int64(-2_147_483_649)),
    ("9223372036854775807", .int64(.max)), ("-9223372036854775808", .int64(.min)),
    ("9223372036854775808", .double(9_223_372_036_854_775_808)),
    ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
    ("123456789012345678901234567890", .double(1.2345678901234568e29)),
    ("1.0", .double(1)), ("1e0", .double(1)), ("-0.0", .double(-0.0)), ("35.75936", .double(35.75936)),
    ("1.7976931348623157E+308", .double(.greatestFiniteMagnitude)), ("1e-400", .double(0)),
    ("0.000000000000000000000000000000000000000000000000000000001", .double(1e-57)),
    ("1000000000000000000000000000000e-30", .double(1)),
    ("\"\"", .string("")), ("\"a\\u0062\\n\\/\\\"\\\\\\b\\f\\r\\t\"", .string("ab\n/\"\\\u{8}\u{C}\r\t")),
    ("\"\\uD83D\\ude00 😀 \\u0000\"", .string("😀 😀 \0")),
    ("[]", .array([])), ("[ 1 , [2],{} ]", .array([.int32(1), .array([.int32(2)]), .document([:])])),
    ("{}", .document([:])), ("{ \"a\" : 1 , \"b\":{\"a\":null}}", ["a": .int32(1), "b": ["a": .null]]),
  ] as [(String, Value)])
func `a JSON text becomes a value`(text: String, value: Value) throws {
  #expect(try Value(json: text) == value)
  #expect(try Value(json: text, as: .plain) == value)
}

@Test func `an exponent beyond all numbers makes zero of a number`() throws {
  for text in ["1.5e-9223372036854775808", "1e-9223372036854775808", "0.5e-99999999999999999999"] {
    #expect(try Value(json: text) == .double(0), "\(text)")
  }
}

@Test(
  arguments: [
    ("", JSONError.Rule.unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("nul", .unexpectedEnd, 3),
    ("nulL", .expectedValue, 0), ("+1", .expectedValue, 0), ("NaN", .expectedValue, 0),
    ("\u{FEFF}1", .byteOrderMark, 0), ("1 2", .trailingBytes, 2), ("{}}", .trailingBytes, 2),
    ("01", .leadingZero, 0), ("-012", .leadingZero, 1), ("-", .unexpectedEnd, 1), ("-a", .malformedNumber, 1),
    ("1.", .unexpectedEnd, 2), ("1.e3", .malformedNumber, 2), ("1e", .unexpectedEnd, 2),
    ("1e+x", .malformedNumber, 3), ("1e400", .numberOutOfRange, 0),
    (" -1e999999999999999999999", .numberOutOfRange, 1), ("1.5e9223372036854775807", .numberOutOfRange, 0),
    ("[1,]", .expectedValue, 3), ("[,1]", .expectedValue, 1), ("[1 2]", .expectedCommaOrEnd, 3),
    ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{\"a\":1,}", .expectedKey, 7),
    ("{a:1}", .expectedKey, 1), ("{\"a\" 1}", .expectedColon, 5),
    ("{\"a\":1 \"b\":2}", .expectedCommaOrEnd, 7),
    ("{\"a\"", .unexpectedEnd, 4), ("{", .unexpectedEnd, 1),
    ("{\"a\":1,\"b\":2,\"a\":3}", .duplicateKey, 13), ("{\"a\":1,\"\\u0061\":3}", .duplicateKey, 7),
    ("\"ab", .unexpectedEnd, 3), ("\"a\nb\"", .controlCharacter, 2), ("\"a\\x\"", .malformedEscape, 2),
    ("\"\\u12G4\"", .malformedEscape, 1), ("\"\\u12", .unexpectedEnd, 5), ("\"\\", .unexpectedEnd, 2),
    ("\"\\uD800\"", .loneSurrogate, 1), ("\"\\uD800\\n\"", .loneSurrogate, 1),
    ("\"\\uDC00\"", .loneSurrogate, 1), ("\"x\\uD800\\uD800\"", .loneSurrogate, 2),
  ] as [(String, JSONError.Rule, Int)])
func `a malformed JSON text is refused with the rule and the offset`(
  text: String, rule: JSONError.Rule, offset: Int
) {
  #expect(throws: JSONError(rule, at: offset)) { try Value(json: text) }
}

@Test(
  arguments: [
    ([0x22, 0xC3, 0x28, 0x22], 1), ([0x22, 0x61, 0xFF, 0x22], 2), ([0x22, 0xE2, 0x82, 0x22], 1),
    ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1),
    ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
    ([0x22, 0x5C, 0x6E, 0x61, 0x80, 0x22], 4), ([0x7B, 0x22, 0x80, 0x22, 0x3A, 0x31, 0x7D], 2),
  ] as [([UInt8], Int)])
func `malformed UTF-8 is refused where it begins`(bytes: [UInt8], offset: Int) {
  #expect(throws: JSONError(.malformedUTF8, at: offset)) { try Value(json: bytes) }
}

@Test func `the depth and the size of a text are bounded`() throws {
  let text = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
  #expect(throws: Never.self) { try Value(json: text) }
  #expect(throws: JSONError(.tooDeep, at: 100)) { try Value(json: "[" + text + "]") }
  #expect(throws: JSONError(.tooDeep, at: 5)) { try Value(json: #"{"a":{}}"#, limits: Limits(depth: 1)) }
  #expect(throws: JSONError(.tooLarge, at: 3)) { try Value(json: "1234", limits: Limits(size: 3)) }
  #expect(try Value(json: "1234", limits: Limits(size: 4)) == .int32(1234))
}

@Test(arguments: [2, 16, 17, 40, 1000])
func `a repeated key is found among few and many, however alike they are`(count: Int) throws {
  // Equal in length, in the first and in the last eight bytes, which is all that the quick check looks at.
  let keys = (0..<count).map { "beginning-\(10_000 + $0)-the end" }
  let elements = keys.map { "\"\($0)\":1" }
  #expect(throws: Never.self) { try Value(json: "{" + elements.joined(separator: ",") + "}") }
  let offset = 1 + elements.reduce(0) { $0 + $1.utf8.count + 1 }
  #expect(throws: JSONError(.duplicateKey, at: offset)) {
    try Value(json: "{" + elements.joined(separator: ",") + "," + elements[count / 2] + "}")
  }
}

@Test func `canonically equivalent keys are two`() throws {
  #expect(try Value(json: "{\"\u{E9}\":1,\"e\u{301}\":2}") == ["\u{E9}": .int32(1), "e\u{301}": .int32(2)])
}

@Test func `a reader goes on after a text that it refused`() throws {
  var reader = JSONReader()
  for text in [#"{"a":{"b":[1,"x",{"long enough a key":1}"#, #"[1,{"a":1,"a":2}]"#, #"["\ud800"]"#] {
    #expect(throws: JSONError.self) { try read(text, &reader) }
    let good = #"{"long enough a key":[1,{"a":"\n"}],"a":2}"#
    #expect(
      try read(good, &reader)
        == ["long enough a key": .array([.int32(1), ["a": .string("\n")]]), "a": .int32(2)])
  }
}

private func read(_ text: String, _ reader: inout JSONReader) throws -> Value {
  try reader.read(Array(text.utf8).span)
}
