import GatehouseBSON
import GatehouseSeeded
import Testing

/// The fields of a record, and records as they are written.
@Suite struct CSVRecordTests {
  private func fields(_ text: String, count: Int? = nil) throws(CSVError) -> [CSVRecord.Field] {
    try CSVRecord(Array(text.utf8)[...], count: count).fields
  }

  @Test(
    arguments: [
      ("a,b", [("a", false), ("b", false)]),
      ("", [("", false)]), (",", [("", false), ("", false)]), ("\"\",", [("", true), ("", false)]),
      ("\"a,b\",c", [("a,b", true), ("c", false)]),
      ("\"say \"\"hi\"\"\"", [("say \"hi\"", true)]),
      ("\"two\r\nlines\",x", [("two\r\nlines", true), ("x", false)]),
      (" a , b ", [(" a ", false), (" b ", false)]), ("ä,日本", [("ä", false), ("日本", false)]),
    ] as [(String, [(String, Bool)])])
  func `a record is its fields`(text: String, expected: [(String, Bool)]) throws {
    #expect(try fields(text) == expected.map { CSVRecord.Field($0.0, isQuoted: $0.1) })
  }

  @Test(
    arguments: [
      ("a\"b,c", .quoteInField, 1), ("x,\"a\"b", .textAfterQuote, 5), ("a,\"b", .unterminatedQuote, 2),
      ("\"a\"\"", .unterminatedQuote, 0), ("a\rb", .bareCarriageReturn, 1),
    ] as [(String, CSVError.Rule, Int)])
  func `a malformed record has a rule and a place`(text: String, rule: CSVError.Rule, offset: Int) {
    #expect(throws: CSVError(rule, at: offset)) { try fields(text) }
  }

  @Test func `text is UTF-8`() {
    #expect(throws: CSVError(.malformedUTF8, at: 2)) { try CSVRecord([0x61, 0x2C, 0xFF]) }
  }

  @Test func `a record has as many fields as the header`() throws {
    #expect(throws: CSVError(.fieldCount(expected: 2, found: 1), at: 1)) { try fields("a", count: 2) }
    #expect(throws: CSVError(.fieldCount(expected: 2, found: 3), at: 4)) { try fields("a,b,c,d", count: 2) }
    #expect(try fields("a,b", count: 2).count == 2)
    let many = String(repeating: ",", count: CSVRecord.mostFields)
    #expect(throws: CSVError(.tooManyFields(limit: CSVRecord.mostFields), at: CSVRecord.mostFields)) {
      try fields(many)
    }
  }

  @Test(arguments: 0..<200)
  func `what is written is read, in pieces of any size`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let rows = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      (0..<3).map { _ in CSVRecordTests.field(&generator) }
    }
    var bytes: [UInt8] = []
    for row in rows {
      for (index, field) in row.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendCSV(field: field)
      }
      bytes.endCSVRecord()
    }
    let size = Int.random(in: 1...7, using: &generator)
    let read = try Records.all(in: bytes, as: .csv, pieces: size).map { record in
      try CSVRecord(record.bytes[...], count: 3).fields.map {
        $0.text.isEmpty && !$0.isQuoted ? nil : $0.text
      }
    }
    #expect(read == rows)
  }

  private static func field(_ generator: inout SeededGenerator) -> String? {
    let characters: [Character] = ["a", ",", "\"", "\r", "\n", "\r\n", " ", "é", "\u{FEFF}", "😀", "="]
    let count = Int.random(in: -1...4, using: &generator)
    if count < 0 { return nil }
    return String((0..<count).map { _ in characters.randomElement(using: &generator) ?? "a" })
  }
}
