import GatehouseBSON
import Testing

private func text(_ write: (inout PlainJSONWriter) -> Void) -> String {
  var writer = PlainJSONWriter()
  write(&writer)
  return String(decoding: writer.finish(), as: UTF8.self)
}

@Test func `an object is written as people write JSON`() {
  let written = text { writer in
    writer.beginDocument()
    writer.key(PreparedKey("_id"))
    writer.objectID(ObjectID(high: 0x0123_4567_89AB_CDEF, low: 1))
    writer.key(PreparedKey("a \"key\"\n"))
    writer.string("tab\t\"quoted\" \\ \u{1F} \u{7F} 日本")
    writer.key("numbers")
    writer.beginArray()
    writer.int64(.min)
    writer.double(-0.0)
    writer.double(.nan)
    writer.float(0.1)
    writer.bool(true)
    writer.null()
    writer.endArray()
    writer.key("empty")
    writer.beginDocument()
    writer.endDocument()
    writer.key("date")
    writer.date(Date(seconds: 0, nanoseconds: 1_000))
    writer.key("uuid")
    writer.uuid(UUID(high: 1, low: 2))
    writer.key("data")
    writer.data([0xFF, 0xFE])
    writer.key("decimal")
    writer.decimal128(Decimal128("1.50") ?? .nan)
    writer.endDocument()
  }
  #expect(
    written == """
      {"_id":"0123456789abcdef00000001",\
      "a \\"key\\"\\n":"tab\\t\\"quoted\\" \\\\ \\u001f \u{7F} 日本",\
      "numbers":[-9223372036854775808,-0.0,{"$numberDouble":"NaN"},0.1,true,null],"empty":{},\
      "date":"1970-01-01T00:00:00.000001Z","uuid":"00000000-0000-0001-0000-000000000002",\
      "data":"//4=","decimal":"1.50"}
      """)
}

/// Byte by byte, as RFC 8259 §7 has it.
private func escaped(_ text: [UInt8]) -> [UInt8] {
  let short: [UInt8: Character] = [
    0x22: "\"", 0x5C: "\\", 0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r",
  ]
  return text.flatMap { byte -> [UInt8] in
    if let character = short[byte] { return Array("\\\(character)".utf8) }
    if byte >= 0x20 { return [byte] }
    let digits = String(byte, radix: 16)
    return Array("\\u00\(digits.utf8.count == 1 ? "0" : "")\(digits)".utf8)
  }
}

@Test(arguments: 0...20)
func `each byte is escaped alike wherever it stands`(offset: Int) {
  for byte in UInt8(0)..<0x80 {
    for length in [offset, offset + 1, offset + 9, offset + 64] {
      var content = (0..<length).map { UInt8(0x61 + $0 % 26) }
      content.insert(byte, at: offset)
      content.append(byte)
      var output: [UInt8] = [0x2D]
      content.withUnsafeBufferPointer { output.appendEscaped($0) }
      #expect(output == [0x2D] + escaped(content), "byte \(byte), \(length) others")
    }
  }
}

@Test func `nothing but escapes has room`() {
  let content = [UInt8](repeating: 0x01, count: 200)
  var output: [UInt8] = []
  content.withUnsafeBufferPointer { output.appendEscaped($0) }
  #expect(output == escaped(content))
}

@Test(
  arguments: [
    (0, "0.0"), (1, "1.0"), (-1.5, "-1.5"), (35.75936, "35.75936"), (0.1 + 0.2, "0.30000000000000004"),
    (1e15, "1000000000000000.0"), (123_456_789_012_345, "123456789012345.0"), (1e-6, "0.000001"),
    (1e-7, "1e-07"),
    (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    (1e22, "1e+22"),
    (9_007_199_254_740_992, "9007199254740992.0"), (0.123456, "0.123456"), (.pi, "3.141592653589793"),
  ] as [(Double, String)])
func `a double is written with the fewest digits that give it back`(double: Double, expected: String) {
  #expect(text { $0.double(double) } == expected)
}
