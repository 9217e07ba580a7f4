import Testing

@testable import RealmSwift

struct EventParserTests {
  @Test func `events come in pieces, with any line ends and escapes`() {
    var parser = EventParser()
    #expect(parser.take(Array("data: {\"a\"".utf8)) == [])
    #expect(parser.take(Array(":1}\r".utf8)) == [])
    #expect(parser.take(Array("\n: comment\r\n\r\n".utf8)) == [.init(type: "", data: #"{"a":1}"#)])
    #expect(
      parser.take(Array("event: error\ndata: a%0Ab%25\ndata: c%0D%41\n\n\nevent: lost\n\n".utf8))
        == [.init(type: "error", data: "a\nb%\nc\r%41")])
  }

  @Test func `an event without an end is not kept without one`() {
    var parser = EventParser()
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    for _ in 0..<64 { #expect(parser.take(piece) == []) }
    #expect(!parser.isTooLarge)
    #expect(parser.take(piece) == [])
    #expect(parser.isTooLarge)
    #expect(parser.take(Array("\n\n".utf8)) == [])
    var lines = EventParser()
    let line = Array("data: ".utf8) + piece + [UInt8(ascii: "\n")]
    for _ in 0..<70 { _ = lines.take(line) }
    #expect(lines.isTooLarge)
  }
}
