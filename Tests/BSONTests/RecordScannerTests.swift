import GatehouseBSON
import Testing

/// Where records end, however the bytes come.
@Suite struct RecordScannerTests {
  @Test(
    arguments: [
      (.ndjson, "a\nb\r\n\nc", ["a", "b\r", "", "c"], [1, 2, 3, 4]),
      (.ndjson, "", [], []), (.ndjson, "\n", [""], [1]),
      (.csv, "a,b\r\n1,\"x\ny\"\r\n2,z", ["a,b", "1,\"x\ny\"", "2,z"], [1, 2, 4]),
      (.csv, "\u{FEFF}a\n\n1\n", ["a", "", "1"], [1, 2, 3]),
      (.csv, "\u{FEFF}\"a\nb\"\n1", ["\"a\nb\"", "1"], [1, 3]),
      (.csv, "a\"b\n\"c\"d\ne", ["a\"b", "\"c\"d", "e"], [1, 2, 3]),
      (.csv, "a\n\"b\nc", ["a", "\"b\nc"], [1, 2]),
      (.json, "[{\"a\":1},\n {\"b\":\"]}\\\"\"}\n]\n", ["{\"a\":1}", "{\"b\":\"]}\\\"\"}"], [1, 2]),
      (.json, "[]", [], []), (.json, " [ ] ", [], []), (.json, "", [], []), (.json, " \n", [], []),
      (.json, "[1,\"a,b\",null,[2,[3]],{}]", ["1", "\"a,b\"", "null", "[2,[3]]", "{}"], [1, 1, 1, 1, 1]),
      (.json, "{\"a\":1}\n\n{\"b\":[2]} 5", ["{\"a\":1}", "{\"b\":[2]}", "5"], [1, 3, 3]),
      (.json, "{\"a\":", ["{\"a\":"], [1]), (.json, "{}{}", ["{}", "{}"], [1, 1]),
      (.bson, "\u{05}\0\0\0\0\u{05}\0\0\0\0", ["\u{05}\0\0\0\0", "\u{05}\0\0\0\0"], [0, 0]),
      (.bson, "\u{05}\0\0", ["\u{05}\0\0"], [0]),
      (.bson, "\u{04}\0\0\0xyz", ["\u{04}\0\0\0", "xyz"], [0, 0]),
      (.bson, "\u{08}\0\0\0\0", ["\u{08}\0\0\0\0"], [0]),
    ] as [(SequenceFormat, String, [String], [Int])])
  func `records are found`(format: SequenceFormat, text: String, records: [String], lines: [Int]) throws {
    for size in [1, 2, 3, 1000] {
      let found = try Records.all(in: Array(text.utf8), as: format, pieces: size)
      #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == records, "pieces of \(size)")
      #expect(found.map(\.line) == lines, "pieces of \(size)")
    }
  }

  @Test(
    arguments: [
      ("[1 2]", .expectedCommaOrEnd), ("[1,", .unexpectedEnd), ("[1", .unexpectedEnd), ("[", .unexpectedEnd),
      ("[1,]", .expectedValue), ("[,1]", .expectedValue), ("[] 5", .trailingBytes), ("}", .expectedValue),
    ] as [(String, JSONError.Rule)])
  func `what separates values of JSON is checked`(text: String, rule: JSONError.Rule) {
    for size in [1, 1000] {
      let error = #expect(throws: JSONError.self) {
        try Records.all(in: Array(text.utf8), as: .json, pieces: size)
      }
      #expect(error?.rule == rule)
    }
  }

  @Test(
    arguments: [
      ("[{}]", .jsonArray), (" \n[", .jsonArray), ("a,b\n1,2", .csv), ("a;b", .csv), ("\"a\",\"b\"", .csv),
      ("{\"a\":1,\"b\":2}", nil), ("text", nil), ("", nil), ("\u{16}\0\0\0\u{02}a\0", .bson),
    ] as [(String, ForeignFormat?)])
  func `another format than lines of JSON is recognized`(text: String, format: ForeignFormat?) {
    #expect(ForeignFormat(inPlaceOfLines: Array(text.utf8)[...]) == format)
    #expect(ForeignFormat(inPlaceOfLines: [0x1F, 0x8B, 0x08]) == .gzip)
  }
}

/// Reads records as programs do: from bytes that come piece by piece.
enum Records {
  static func all(
    in bytes: [UInt8], as format: SequenceFormat, pieces size: Int
  ) throws -> [(bytes: [UInt8], line: Int)] {
    var scanner = RecordScanner(format)
    var records: [(bytes: [UInt8], line: Int)] = []
    var (start, end) = (0, 0)
    while true {
      let isWhole = end == bytes.count
      while let extent = try scanner.next(in: bytes[start..<end], isWhole: isWhole) {
        records.append((Array(bytes[extent.content]), extent.line))
        start = extent.next
      }
      if isWhole { return records }
      end = min(bytes.count, end + size)
    }
  }
}
