import GatehouseBSON
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

@Suite struct ContentTests {
  @Test(
    arguments: [
      (#"{"a":1}"#, .json, [#"{"a":1}"#], nil), ("[]", .json, [], .array),
      (" [1, [2]] ", .json, ["1", "[2]"], .array),
      (#"{"$oid":"000102030405060708090a0b"}"#, .mergePatch, [#"{"$oid":"000102030405060708090a0b"}"#], nil),
      ("", .jsonLines, [], .lines([])), ("1\n\n \t\r\n2", .jsonLines, ["1", "2"], .lines([1, 4])),
      ("\u{5}\0\0\0\0", .bson, ["{}"], nil), ("\u{5}\0\0\0\0\u{5}\0\0\0\0", .bson, ["{}", "{}"], .documents),
    ] as [(String, ContentType, [String], Content.Form?)])
  func `content is one value or several`(
    text: String, type: ContentType, values: [String], form: Content.Form?
  ) throws {
    let content = try Content(Array(text.utf8), as: type)
    #expect(content.form == form)
    let found: [Value] =
      switch content {
      case .one(let value): [value]
      case .many(let values, _): values
      }
    #expect(found.map { String(decoding: $0.plainJSON, as: UTF8.self) } == values)
  }

  @Test(
    arguments: [
      ("", .json, .json(.unexpectedEnd), 0, nil), ("{]", .json, .json(.expectedKey), 1, nil),
      ("1\n\n[1,\n", .jsonLines, .json(.unexpectedEnd), 3, 3),
      ("1 2", .jsonLines, .json(.trailingBytes), 2, 1),
      ("[1]\n", .jsonLines, .foreign(.jsonArray), 0, 1), ("\n_id,name\n", .jsonLines, .foreign(.csv), 0, 2),
      ("", .bson, .bson(.unexpectedEnd), 0, nil),
      ("\u{5}\0\0\0\0\u{7}\0\0\0\0", .bson, .bson(.malformedLength), 5, nil),
      ("\u{4}\0\0\0\0", .bson, .bson(.malformedLength), 0, nil),
    ] as [(String, ContentType, Content.SyntaxError.Rule, Int, Int?)])
  func `the place of a error is told`(
    text: String, type: ContentType, rule: Content.SyntaxError.Rule, offset: Int, line: Int?
  ) {
    #expect(throws: APIError.malformedContent(Content.SyntaxError(rule: rule, offset: offset, line: line))) {
      try Content(Array(text.utf8), as: type)
    }
  }

  // A class says what the cells of a table are: `TableTests` has those.
  @Test(arguments: ContentType.allCases.filter { $0 != .csv })
  func `no bytes make the reader fail otherwise than by refusing`(type: ContentType) {
    var random = SeededGenerator(seed: 7)
    let samples: [[UInt8]] = [
      Array("{\"a\":[1,{\"b\":null}]}\n[true]\n".utf8), Array("\u{5}\0\0\0\0\u{5}\0\0\0\0".utf8),
      [16, 0, 0, 0, 16, 97, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0],
    ]
    for _ in 0..<1000 {
      var bytes = samples.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        if Bool.random(using: &random), index < bytes.count {
          bytes[index] = UInt8.random(in: 0...255, using: &random)
        } else {
          bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
        }
      }
      do {
        _ = try Content(bytes, as: type)
      } catch {
        guard case .malformedContent(let error) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(error.offset <= bytes.count)
      }
    }
  }
}
