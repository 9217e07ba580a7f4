import GatehouseBSON
import Testing

/// One object of every member of the protocol, the small types as values or as the store's text.
private func write(_ writer: inout some ValueWriter, asText: Bool) {
  var generator = ValueGenerator(seed: 5)
  writer.beginDocument()
  for index in 0..<50 {
    let date = Date(milliseconds: Int64(index) * 100_000_000_000_000 - 2_000_000_000_000_000)
    let id = ObjectID(high: generator.random.next(), low: UInt32(index))
    let uuid = UUID(high: generator.random.next(), low: generator.random.next())
    let decimal = generator.decimal128()
    writer.key(PreparedKey("array\(index)"))
    writer.beginArray()
    if asText {
      text(date.storedText) { writer.dateText($0) }
      text(id.description) { writer.objectIDText($0) }
      text(uuid.description) { writer.uuidText($0) }
      text(decimal.description) { writer.decimal128Text($0) }
    } else {
      writer.date(date)
      writer.objectID(id)
      writer.uuid(uuid)
      writer.decimal128(decimal)
    }
    writer.int64(Int64(index))
    writer.float(1.5)
    writer.data([1, 2])
    writer.endArray()
  }
  writer.endDocument()
}

private func text(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
  let isTaken = Array(text.utf8).withUnsafeBufferPointer(body)
  #expect(isTaken)
}

/// Writes nothing but an array with each of the texts that `writer` takes for a date, an ObjectID, a UUID or a decimal.
private func array(of texts: [[UInt8]], _ writer: inout some ValueWriter) -> Int {
  writer.beginDocument()
  writer.key(PreparedKey("a"))
  writer.beginArray()
  var taken = 0
  for text in texts {
    text.withUnsafeBufferPointer { text in
      for isTaken in [
        writer.dateText(text), writer.objectIDText(text), writer.uuidText(text), writer.decimal128Text(text),
      ] where isTaken { taken += 1 }
    }
  }
  writer.endArray()
  writer.endDocument()
  return taken
}

@Test func `text that no store writes is refused, or at least breaks no representation`() throws {
  let texts: [[UInt8]] = [
    [], Array("T9999999999999999999".utf8), Array("2024\"".utf8), [0x32, 0xff], [0x32, 0x00], Array("T".utf8),
    Array("-1".utf8), Array("1\n".utf8), Array("9999-99-99T99:99:99".utf8), Array("\\".utf8),
  ]
  var (plain, extended, bson) = (PlainJSONWriter(), ExtendedJSONWriter(), BSONWriter())
  _ = array(of: texts, &plain)
  #expect(throws: Never.self) { try Value(json: plain.finish()) }
  _ = array(of: texts, &extended)
  #expect(throws: Never.self) { try Value(json: extended.finish()) }
  // -1 is a decimal, and all else is nothing.
  #expect(array(of: texts, &bson) == 1)
  #expect(throws: Never.self) { try Document(bson: bson.finish()) }
}

@Test(
  arguments: [
    ([], true), ([0x61], true), (Array("äöü €  𝄞, and more".utf8), true), ([0xff], false),
    (Array("12345678".utf8) + [0xc3], false), ([0xed, 0xa0, 0x80], false), ([0xc0, 0x80], false),
  ] as [([UInt8], Bool)])
func `bytes are UTF-8 or not`(bytes: [UInt8], isUTF8: Bool) {
  let found = bytes.withUnsafeBufferPointer { $0.isUTF8 }
  #expect(found == isUTF8)
}

@Test func `text of the store is written like the value that it is`() throws {
  var plain = (PlainJSONWriter(), PlainJSONWriter())
  write(&plain.0, asText: false)
  write(&plain.1, asText: true)
  #expect(plain.0.finish() == plain.1.finish())
  var extended = (ExtendedJSONWriter(), ExtendedJSONWriter())
  write(&extended.0, asText: false)
  write(&extended.1, asText: true)
  let json = extended.0.finish()
  #expect(json == extended.1.finish())
  var bson = (BSONWriter(), BSONWriter())
  write(&bson.0, asText: false)
  write(&bson.1, asText: true)
  let bytes = try bson.0.finish()
  #expect(try bytes == bson.1.finish())
  var builder = (ValueBuilder(), ValueBuilder())
  write(&builder.0, asText: false)
  write(&builder.1, asText: true)
  let value = builder.0.finish()
  #expect(value == builder.1.finish())
  // All four say the same.
  #expect(try Value(json: json) == value)
  #expect(try .document(Document(bson: bytes)) == value)
}

@Test func `writers go on behind what is there, and values stand apart`() throws {
  var plain = PlainJSONWriter(appendingTo: Array("data: ".utf8))
  plain.int64(1)
  plain.separator("\n")
  plain.value(["a": .array([.int32(1), .int32(2)])])
  plain.separator("\n")
  #expect(plain.count == 20)
  #expect(String(decoding: plain.finish(), as: UTF8.self) == "data: 1\n{\"a\":[1,2]}\n")
  var extended = ExtendedJSONWriter()
  extended.value(.int32(1))
  extended.separator(" ")
  extended.key("a\n")
  extended.string("\"")
  #expect(String(decoding: extended.finish(), as: UTF8.self) == #"{"$numberInt":"1"} "a\n":"\"""#)
  var bson = BSONWriter(appendingTo: [9])
  bson.document(["a": .null])
  #expect(try bson.finish() == [9, 8, 0, 0, 0, 10, 97, 0, 0])
}

@Test func `what a float says differs where there are no floats`() throws {
  var plain = PlainJSONWriter()
  plain.float(0.1)
  #expect(String(decoding: plain.finish(), as: UTF8.self) == "0.1")
  var builder = ValueBuilder()
  builder.float(0.1)
  #expect(builder.finish() == .double(Double(Float(0.1))))
}

@Test func `values are equal to the last bit`() {
  #expect(Value.double(.nan) == .double(.nan))
  #expect(Value.double(0) != .double(-0.0))
  #expect(Value.int32(1) != .int64(1))
  #expect(Value.string("\u{E9}") != .string("e\u{301}"))
  #expect((["\u{E9}": .null] as Document) != ["e\u{301}": .null])
  #expect((["\u{E9}": .null] as Document)["e\u{301}"] == nil)
  #expect(
    RegularExpression(pattern: "\u{E9}", options: "") != RegularExpression(pattern: "e\u{301}", options: ""))
}
