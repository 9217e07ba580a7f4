import GatehouseSeeded
import Testing

@testable import GatehouseHTTP

/// A connection without a socket: text in, actions and output as text.
final class Rig {
  var connection: Connection
  var writer = ResponseWriter()
  var room = HeadRoom()
  var now = MonotonicTime(nanoseconds: 0)

  init(_ change: (inout Limits) -> Void = { _ in }) {
    var limits = Limits()
    change(&limits)
    connection = Connection(limits: SharedLimits(limits), now: MonotonicTime(nanoseconds: 0))
  }

  /// The connection's actions for the text.
  func receive(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var actions: [String] = []
    var position = 0
    bytes.withUnsafeBytes { bytes in
      while true {
        let action = connection.next(in: bytes, at: &position, using: &room, now: now)
        switch action {
        case .read: return
        case .hold:
          actions.append("hold \(bytes.count - position)")
          return
        case .respond(let head, .none): actions.append("\(head.target.path)")
        case .respond(let head, .whole(let content)):
          actions.append("\(head.target.path) whole \(String(decoding: content, as: UTF8.self))")
        case .respond(let head, .first(let content)):
          actions.append("\(head.target.path) first \(String(decoding: content, as: UTF8.self))")
        case .content(let range): actions.append("content \(String(decoding: bytes[range], as: UTF8.self))")
        case .contentEnd: actions.append("end")
        case .contentFailure(let error): actions.append("failure \(error)")
        case .refuse(let error):
          actions.append("refuse \(error.status.rawValue)")
          connection.refuse(error, id: nil, into: &writer, now: now)
        }
      }
    }
    return actions
  }

  func respond(_ body: ResponseBody = .empty, status: Status = .ok) -> String {
    _ = connection.respond(Response(status: status, body: body), id: nil, into: &writer, now: now)
    return output()
  }

  /// The bytes written since the last call.
  func output() -> String {
    defer { writer.output.removeAll() }
    return String(decoding: writer.output.bytes, as: UTF8.self)
  }

  func drain() -> Bool { connection.drain() }

  func pass(_ duration: Duration) -> Connection.Expiry {
    now.nanoseconds += UInt64(duration / .nanoseconds(1))
    return connection.expire(now: now)
  }
}

private let end = "Host: a\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
private let okClose = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

@Test func `requests that come ahead are held until it is their turn`() {
  let rig = Rig()
  #expect(rig.receive("GET /a HTTP/1.1\r\n" + end + "GET /b") == ["/a", "hold 6"])
  #expect(!rig.connection.wantsBytes)
  #expect(rig.respond() == ok)
  #expect(rig.connection.wantsBytes)
  #expect(rig.receive("GET /b HTTP/1.1\r\n" + end) == ["/b", "hold 0"])
}

@Test func `the last of the requests that a connection may make closes it`() {
  let rig = Rig { $0.requestsPerConnection = 2 }
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  #expect(rig.respond() == ok)
  _ = rig.receive("GET /b HTTP/1.1\r\n" + end)
  #expect(rig.respond() == okClose)
  #expect(rig.connection.isFinished)
  #expect(!rig.connection.lingers)
  #expect(rig.receive("GET /c HTTP/1.1\r\n" + end) == [])
}

@Test func `draining closes an idle connection and ends a busy one after its answer`() {
  var rig = Rig()
  #expect(rig.drain())
  rig = Rig()
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  #expect(!rig.drain())
  #expect(rig.respond() == okClose)
  #expect(rig.connection.isFinished)
}

@Test func `draining in the middle of a streamed answer ends the connection with it`() {
  let rig = Rig()
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  _ = rig.respond(.stream { _ in })
  #expect(!rig.drain())
  rig.connection.finishResponse(into: &rig.writer, now: rig.now)
  #expect(rig.output() == "0\r\n\r\n")
  #expect(rig.connection.isFinished)
  #expect(!rig.connection.lingers)
}

@Test(arguments: [(["ab", "cde"], "abcde", false), (["ab"], "ab", true), (["abcd", "efg"], "abcde", false)])
func `a streamed answer of a known length has it in its head, and no more than that`(
  pieces: [String], content: String, isLast: Bool
) {
  let rig = Rig()
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  let fields = Fields([Fields.Line(name: "content-length", value: "5")])
  let response = Response(status: .ok, fields: fields, body: .stream { _ in })
  _ = rig.connection.respond(response, id: nil, into: &rig.writer, now: rig.now)
  let head = rig.output()
  #expect(head.contains("content-length: 5\r\n") && !head.contains("chunked"), "\(head)")
  for piece in pieces { rig.connection.write(Array(piece.utf8), into: &rig.writer) }
  rig.connection.finishResponse(into: &rig.writer, now: rig.now)
  #expect(rig.output() == content)
  // A message that is short is not whole, and the next would be taken for a part of it.
  #expect(rig.connection.isFinished == isLast)
}

@Test func `small content is gathered, large content begins at once`() {
  let rig = Rig { $0.gatheredContent = 4 }
  #expect(rig.receive("POST /a HTTP/1.1\r\nContent-Length: 4\r\n" + end + "ab") == [])
  #expect(rig.receive("cd") == ["/a whole abcd", "hold 0"])
  _ = rig.respond()
  #expect(
    rig.receive("POST /b HTTP/1.1\r\nContent-Length: 5\r\n" + end + "ab") == ["/b first ", "content ab"])
  #expect(rig.receive("cde") == ["content cde", "end", "hold 0"])
}

@Test func `chunked content that goes on is streamed`() {
  let rig = Rig()
  #expect(
    rig.receive("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + end + "3\r\nabc\r\n")
      == ["/a first abc"])
  #expect(rig.receive("1\r\nd\r\nx") == ["content d"])
  #expect(rig.receive("\r\n") == ["failure incomplete"])
  #expect(rig.respond() == okClose)
  #expect(rig.connection.isFinished)
  #expect(rig.connection.lingers)
}

@Test func `content is asked for once, and only if it is wanted`() {
  let rig = Rig()
  let head = "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n" + end
  #expect(rig.receive(head) == ["/a first "])
  rig.connection.continue(into: &rig.writer, now: rig.now)
  rig.connection.continue(into: &rig.writer, now: rig.now)
  #expect(rig.output() == "HTTP/1.1 100 Continue\r\n\r\n")
  #expect(rig.receive("ab") == ["content ab", "end", "hold 0"])
  #expect(rig.respond() == ok)
  #expect(rig.receive(head) == ["/a first "])
  #expect(rig.respond() == okClose)
}

@Test func `after an early answer little content is skipped, and much ends the connection`() {
  let rig = Rig {
    $0.gatheredContent = 0
    $0.skippedContent = 3
  }
  #expect(rig.receive("POST /a HTTP/1.1\r\nContent-Length: 3\r\n" + end) == ["/a first "])
  #expect(rig.respond() == ok)
  #expect(rig.receive("abcGET /b HTTP/1.1\r\n" + end) == ["/b", "hold 0"])
  _ = rig.respond()
  #expect(rig.receive("POST /a HTTP/1.1\r\nContent-Length: 4\r\n" + end) == ["/a first "])
  #expect(rig.respond() == okClose)
  #expect(rig.connection.lingers)
}

@Test(arguments: [Status.noContent, .notModified])
func `some answers have no content whatever the handler gives`(status: Status) {
  let rig = Rig()
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  #expect(
    rig.respond(.bytes([0x61]), status: status) == "HTTP/1.1 \(status.rawValue) \(status.reason)\r\n\r\n")
}

@Test func `a handler can't frame the message itself`() {
  let rig = Rig()
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  let fields = Fields([
    .init(name: "content-length", value: "9"), .init(name: "transfer-encoding", value: "chunked"),
    .init(name: "connection", value: "close"), .init(name: "date", value: "never"),
  ])
  _ = rig.connection.respond(Response(status: .ok, fields: fields), id: nil, into: &rig.writer, now: rig.now)
  #expect(rig.output() == ok)
}

@Test func `an answer to HEAD may tell its length`() {
  let rig = Rig()
  _ = rig.receive("HEAD /a HTTP/1.1\r\n" + end)
  let fields = Fields([.init(name: "content-length", value: "9")])
  _ = rig.connection.respond(Response(status: .ok, fields: fields), id: nil, into: &rig.writer, now: rig.now)
  #expect(rig.output() == "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n")
}

@Test func `the date is told in the form of RFC 9110`() {
  let rig = Rig()
  rig.writer.setDate(second: 784_111_777)
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  #expect(rig.respond().contains("\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
  rig.writer.setDate(second: 951_782_400)
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  #expect(rig.respond().contains("\r\ndate: Tue, 29 Feb 2000 00:00:00 GMT\r\n"))
  rig.writer.setDate(second: -100_000)
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  #expect(rig.respond().contains("\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"))
}

@Test func `a head that does not come to its end is answered in time`() {
  let rig = Rig {
    $0.headTime = .seconds(10)
    $0.idleTime = .seconds(60)
  }
  #expect(rig.pass(.seconds(59)) == .nothing)
  #expect(rig.receive("GET ") == [])
  #expect(rig.pass(.seconds(6)) == .nothing)
  #expect(rig.receive("/a HTTP") == [])
  #expect(rig.pass(.seconds(4)) == .refuse(RequestError(.timeout, offset: 0)))
}

@Test func `a connection without requests is closed in time`() {
  let rig = Rig { $0.idleTime = .seconds(60) }
  #expect(rig.pass(.seconds(59)) == .nothing)
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  #expect(rig.connection.deadline == nil)
  #expect(rig.pass(.seconds(1_000)) == .nothing)
  _ = rig.respond()
  #expect(rig.pass(.seconds(59)) == .nothing)
  #expect(rig.pass(.seconds(1)) == .close)
}

@Test func `content must come at a certain speed`() {
  var rig = Rig {
    $0.progressTime = .seconds(5)
    $0.minimumProgress = 3
    $0.gatheredContent = 10
  }
  _ = rig.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n" + end)
  _ = rig.receive("abc")
  #expect(rig.pass(.seconds(5)) == .nothing)
  _ = rig.receive("de")
  #expect(rig.pass(.seconds(5)) == .refuse(RequestError(.timeout, offset: 0)))
  rig = Rig { $0.progressTime = .seconds(5) }
  _ = rig.receive("POST /a HTTP/1.1\r\nContent-Length: 100000\r\n" + end)
  rig.connection.pauseContent()
  #expect(rig.pass(.seconds(100)) == .nothing)
  rig.connection.resumeContent(now: rig.now)
  #expect(rig.pass(.seconds(5)) == .contentFailure)
  #expect(rig.respond() == okClose)
}

@Test func `a handler that takes each byte as it comes gives a slow client no more time`() {
  let rig = Rig {
    $0.progressTime = .seconds(5)
    $0.minimumProgress = 30
  }
  _ = rig.receive("POST /a HTTP/1.1\r\nContent-Length: 100000\r\n" + end)
  for _ in 1...4 {
    _ = rig.receive("a")
    rig.connection.resumeContent(now: rig.now)
    #expect(rig.pass(.seconds(1)) == .nothing)
  }
  rig.connection.resumeContent(now: rig.now)
  #expect(rig.pass(.seconds(1)) == .contentFailure)
}

@Test func `output must be taken at a certain speed`() {
  let rig = Rig {
    $0.progressTime = .seconds(5)
    $0.minimumProgress = 3
  }
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  _ = rig.respond()
  rig.connection.wrotePart(0, now: rig.now)
  rig.connection.wrotePart(3, now: rig.now)
  #expect(rig.pass(.seconds(5)) == .nothing)
  rig.connection.wrotePart(2, now: rig.now)
  #expect(rig.pass(.seconds(5)) == .close)
}

@Test(arguments: ["", "Connection: close\r\n"])
func `a client that takes its answer slowly is neither idle nor through before it has all`(field: String) {
  let rig = Rig {
    $0.progressTime = .seconds(5)
    $0.minimumProgress = 3
    $0.idleTime = .seconds(2)
    $0.lingerTime = .seconds(2)
  }
  _ = rig.receive("GET /a HTTP/1.1\r\n" + field + end)
  _ = rig.respond()
  rig.connection.wrotePart(0, now: rig.now)
  for _ in 1...3 {
    rig.connection.wrotePart(3, now: rig.now)
    #expect(rig.pass(.seconds(5)) == .nothing)
  }
  rig.connection.wroteAll(now: rig.now)
  #expect(rig.pass(.seconds(1)) == .nothing)
  #expect(rig.pass(.seconds(1)) == .close)
}

@Test func `the end of the client's side ends what it cuts off`() {
  var rig = Rig()
  _ = rig.receive("GET /a")
  _ = rig.connection.receiveEnd(now: rig.now)
  #expect(rig.connection.isFinished)
  rig = Rig { $0.gatheredContent = 0 }
  _ = rig.receive("POST /a HTTP/1.1\r\nContent-Length: 3\r\n" + end)
  guard case .contentFailure(.incomplete) = rig.connection.receiveEnd(now: rig.now) else {
    Issue.record("the content did not fail")
    return
  }
  #expect(rig.respond() == okClose)
}

@Test func `a client that has closed its side is asked once whether it waits for its answer`() {
  let rig = Rig { $0.probeTime = .milliseconds(100) }
  _ = rig.receive("GET /a HTTP/1.1\r\n" + end)
  rig.connection.notePeerFinished(now: rig.now)
  #expect(rig.pass(.milliseconds(99)) == .nothing)
  rig.connection.notePeerFinished(now: rig.now)
  #expect(rig.pass(.milliseconds(1)) == .probe)
  rig.connection.probe(into: &rig.writer)
  #expect(rig.output() == "HTTP/1.1 100 Continue\r\n\r\n")
  #expect(rig.connection.deadline == nil)
  #expect(rig.pass(.seconds(1_000)) == .nothing)
  #expect(rig.respond() == ok)
  _ = rig.connection.receiveEnd(now: rig.now)
  #expect(rig.connection.isFinished)
}

@Test(arguments: [
  ("GET /a HTTP/1.0\r\n\r\n", ResponseBody?.none), ("GET /a HTTP/1.1\r\n" + end, .empty),
  ("GET /a HTTP/1.1\r\n" + end, .stream { _ in }),
])
func `HTTP/1.0, and who has its answer or is being sent it, is not asked`(
  request: String, answer: ResponseBody?
) {
  let rig = Rig { $0.probeTime = .milliseconds(100) }
  _ = rig.receive(request)
  if let answer { _ = rig.respond(answer) }
  rig.connection.notePeerFinished(now: rig.now)
  #expect(rig.pass(.milliseconds(100)) == .nothing)
}

@Test func `random bytes after random requests never break a connection`() {
  var random = SeededGenerator(seed: 3)
  let parts = [
    "GET /a HTTP/1.1\r\n", "Host: a\r\n", "\r\n", "POST /b HTTP/1.1\r\n", "Content-Length: 5\r\n", "abcde",
    "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n", "0\r\n\r\n", "Expect: 100-continue\r\n", "\n", "x",
  ]
  for _ in 0..<2_000 {
    let rig = Rig { $0.gatheredContent = 4 }
    for _ in 0..<30 {
      _ = rig.receive(parts[Int(random.next() % UInt64(parts.count))])
      switch random.next() % 6 {
      case 0 where rig.connection.isAnswering: _ = rig.respond()
      case 1: _ = rig.pass(.seconds(Int(random.next() % 20)))
      case 2: rig.connection.continue(into: &rig.writer, now: rig.now)
      case 3 where random.next() % 10 == 0: _ = rig.connection.receiveEnd(now: rig.now)
      default: break
      }
      if rig.connection.isFinished { break }
    }
    let output = rig.output()
    #expect(output.isEmpty || output.hasPrefix("HTTP/1.1 "))
  }
}
