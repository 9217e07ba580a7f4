import GatehouseSeeded
import Testing

@testable import GatehouseCluster

struct NATSParserTests {
  /// Returns the messages of some text, and the error behind them.
  private func messages(
    of text: String, pieces size: Int = .max, limit: Int = 100
  ) -> ([ServerMessage], NATSProtocolError?) {
    var parser = NATSParser(payloadLimit: limit)
    var messages: [ServerMessage] = []
    var rest = Array(text.utf8)[...]
    do throws(NATSProtocolError) {
      while !rest.isEmpty {
        parser.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let message = try parser.next() { messages.append(message) }
      }
    } catch { return (messages, error) }
    return (messages, nil)
  }

  private static let text =
    "INFO {\"a\":1}\r\nPING\r\n+OK\r\nMSG a.b 7 5\r\nhel\r\n\r\nMSG a 1 re.ply 0\r\n\r\npong\r\n"
    + "HMSG h 2 r 23 25\r\nNATS/1.0\r\nName: v:1\r\n\r\nxy\r\nHMSG h 3 30 30\r\nNATS/1.0 503 No Responders\r\n\r\n\r\n"
    + "-ERR 'Stale Connection'\r\n"

  @Test(arguments: [1, 2, 3, 7, 64, .max])
  func `messages are the same however their bytes come`(size: Int) throws {
    let none = MessageHeaders()
    let fields = MessageHeaders([.init(name: "Name", value: "v:1")])
    let status = try MessageHeaders(Array("NATS/1.0 503 No Responders\r\n\r\n".utf8)[...])
    #expect(status.status == 503 && status.reason == "No Responders" && status.fields.isEmpty)
    let expected: [ServerMessage] = [
      .info(Array("{\"a\":1}".utf8)), .ping, .ok,
      .delivery(
        .init(
          subject: "a.b", subscription: 7, reply: nil, headers: none, payload: Array("hel\r\n".utf8)
        )),
      .delivery(.init(subject: "a", subscription: 1, reply: "re.ply", headers: none, payload: [])),
      .pong,
      .delivery(
        .init(subject: "h", subscription: 2, reply: "r", headers: fields, payload: Array("xy".utf8))
      ),
      .delivery(.init(subject: "h", subscription: 3, reply: nil, headers: status, payload: [])),
      .error("Stale Connection"),
    ]
    let (found, error) = messages(of: NATSParserTests.text, pieces: size)
    #expect(found == expected)
    #expect(error == nil)
  }

  @Test(arguments: [
    ("FOO\r\n", NATSProtocolError.malformedLine), ("PING\n", .malformedLine),
    ("\n", .malformedLine),
    ("PING x\r\n", .malformedLine), ("MSG a 1\r\n", .malformedLine),
    ("MSG a b 1\r\n", .malformedLine),
    ("MSG a 1 -1\r\n", .malformedLine), ("MSG a 1 +1\r\n", .malformedLine),
    ("MSG a 1 101\r\n", .tooLong), ("MSG a 1 99999999999999999999\r\n", .malformedLine),
    ("MSG a 1 b c 1\r\n", .malformedLine), ("MSG a 1 1\r\nxyz", .malformedLine),
    ("HMSG a 1 5 4\r\n", .malformedLine), ("HMSG a 1 4\r\n", .malformedLine),
    ("HMSG a 1 4 4\r\nabcd\r\n", .malformedHeaders),
    ("HMSG a 1 8 8\r\nNATS/1.0\r\n", .malformedHeaders),
    ("HMSG a 1 15 15\r\nNATS/1.0\r\nx\r\n\r\n\r\n", .malformedHeaders),
    ("HMSG a 1 14 14\r\nNATS/1.0 9\r\n\r\n\r\n", .malformedHeaders),
  ])
  func `bytes that are none of the protocol are refused`(text: String, error: NATSProtocolError) {
    let (found, failure) = messages(of: text)
    #expect(found == [])
    #expect(failure == error)
  }

  @Test func `lines have an end, and that of INFO a later one`() {
    let long = String(repeating: "x", count: NATSParser.lineLimit)
    #expect(messages(of: "-ERR \(long)").1 == .tooLong)
    #expect(messages(of: "INFO \(long)\r\n").0 == [.info(Array(long.utf8))])
    let longest = String(repeating: "x", count: NATSParser.infoLimit)
    #expect(messages(of: "INFO \(longest)").1 == .tooLong)
  }

  @Test func `no more is kept than what no message has been made of`() throws {
    var parser = NATSParser(payloadLimit: 1_000)
    let message =
      Array("MSG a 1 1000\r\n".utf8) + [UInt8](repeating: 120, count: 1_000) + Array("\r\n".utf8)
    for _ in 0..<1_000 {
      parser.append(message)
      let (first, second) = (try parser.next(), try parser.next())
      #expect(first != nil && second == nil && parser.count == 0)
    }
  }

  @Test func `damaged bytes never make the parser fail but by its errors`() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<3_000 {
      var bytes = Array(NATSParserTests.text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      var (parser, other) = (NATSParser(payloadLimit: 50), NATSParser(payloadLimit: 50))
      let whole = Result { () throws(NATSProtocolError) in try drain(&parser, bytes, bytes.count) }
      let pieces = Result { () throws(NATSProtocolError) in try drain(&other, bytes, 5) }
      #expect(whole == pieces)
    }
  }

  private func drain(
    _ parser: inout NATSParser, _ bytes: [UInt8], _ size: Int
  ) throws(NATSProtocolError) -> [ServerMessage] {
    var (found, rest): ([ServerMessage], ArraySlice<UInt8>) = ([], bytes[...])
    while !rest.isEmpty {
      parser.append(rest.prefix(size))
      rest = rest.dropFirst(size)
      while let message = try parser.next() { found.append(message) }
    }
    return found
  }

  @Test func `a client's messages are those of the protocol`() {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    #expect(text(ClientMessage.publish([120], to: "a", reply: "r")) == "PUB a r 1\r\nx\r\n")
    let headers = MessageHeaders([.init(name: "A", value: "1"), .init(name: "B", value: "2")])
    #expect(
      text(ClientMessage.publish([120], to: "a", headers: headers))
        == "HPUB a 24 25\r\nNATS/1.0\r\nA: 1\r\nB: 2\r\n\r\nx\r\n")
    #expect(text(ClientMessage.subscribe("a.*", as: 3)) == "SUB a.* 3\r\n")
    #expect(text(ClientMessage.connect([123, 125])) == "CONNECT {}\r\n")
  }
}
