import GatehouseHTTP
import GatehouseServer
import Synchronization
import Testing

private let host = "host: localhost\r\n\r\n"

/// Notes the order in which requests reach it; one of them makes something happen meanwhile.
private final class Trace: Handler {
  private let paths = Mutex<[String]>([])
  private let answer: [UInt8]
  private let trigger: String
  private let meanwhile: @Sendable () -> Void

  init(answer: Int = 1, at path: String = "", meanwhile: @escaping @Sendable () -> Void = {}) {
    self.answer = [UInt8](repeating: 0x61, count: answer)
    trigger = path
    self.meanwhile = meanwhile
  }

  var seen: [String] { paths.withLock { $0 } }

  func respond(to request: Request) async -> Response {
    paths.withLock { $0.append(request.target.path) }
    if request.target.path == trigger { meanwhile() }
    return Response(status: .ok, body: .bytes(answer))
  }
}

/// More than a socket takes at once, of which no two stretches near each other look alike.
private let large = [[UInt8]](
  repeating: (0..<65_521).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }, count: 250
).flatMap(\.self)

/// Answers `/large` with that, and all else with its path.
private struct Large: Handler {
  func respond(to request: Request) async -> Response {
    let path = request.target.path
    return Response(status: .ok, body: .bytes(path == "/large" ? large : Array(path.utf8)))
  }
}

/// A client that is made after its handler.
private final class Later: Sendable {
  private let client = Mutex<Client?>(nil)

  func set(_ client: Client) { self.client.withLock { $0 = client } }
  func send(_ text: String) { _ = client.withLock { $0?.send(text) } }
}

extension `A server` {
  @Test(arguments: [(2, true), (128, false)])
  func `pipelined requests beyond the depth let others have their turn first`(
    _ depth: Int, _ isBetween: Bool
  ) async throws {
    let other = Later()
    let trace = Trace(at: "/1") { other.send("GET /other HTTP/1.1\r\n" + host) }
    try await withServer(handler: trace) {
      $0.loopCount = 1
      $0.limits.pipelinedRequests = depth
    } _: { server in
      let client = try Client(server.boundAddress)
      let second = try Client(server.boundAddress)
      // Both are known to the loop before anything happens.
      for one in [client, second] {
        one.send("GET /0 HTTP/1.1\r\n" + host)
        #expect(one.receive(until: "a").hasSuffix("a"))
      }
      other.set(second)
      client.send((1...20).map { "GET /\($0) HTTP/1.1\r\n" + host }.joined())
      #expect(second.receive(until: "a").hasSuffix("a"))
      client.send("GET /end HTTP/1.1\r\nconnection: close\r\n" + host)
      _ = client.receive()
      let order = trace.seen
      let place = try #require(order.firstIndex(of: "/other"))
      let last = try #require(order.firstIndex(of: "/20"))
      #expect((place < last) == isBetween)
      #expect(order.filter { $0 != "/other" } == ["/0", "/0"] + (1...20).map { "/\($0)" } + ["/end"])
    }
  }

  @Test(arguments: [(65_536, false), (200 << 20, true)])
  func `requests wait while their client does not take the answers`(
    _ bound: Int, _ isAllAnswered: Bool
  ) async throws {
    let trace = Trace(answer: 3_000_000)
    try await withServer(handler: trace) {
      $0.loopCount = 1
      $0.limits.bufferedOutput = bound
    } _: { server in
      let client = try Client(server.boundAddress)
      client.send(String(repeating: "GET /large HTTP/1.1\r\n" + host, count: 30))
      // The loop comes to what was sent later after what was sent before.
      let second = try Client(server.boundAddress)
      second.send("GET /second HTTP/1.1\r\nconnection: close\r\n" + host)
      #expect(second.receive().hasSuffix("a"))
      let answered = trace.seen.count { $0 == "/large" }
      // The kernel takes some of it: a few megabytes.
      #expect(isAllAnswered ? answered == 30 : (1...6).contains(answered))
      client.reset()
    }
  }

  @Test func `an answer that the socket does not take at once goes on where it was cut off`() async throws {
    try await withServer(handler: Large()) { server in
      let client = try Client(server.boundAddress)
      client.send("GET /large HTTP/1.1\r\n" + host + "GET /behind HTTP/1.1\r\nconnection: close\r\n" + host)
      var received: [UInt8] = []
      while case let piece = client.receivePiece(), !piece.isEmpty { received += piece }
      let head = try #require((0..<500).first { received[$0...].starts(with: "\r\n\r\n".utf8) })
      let start = head + 4
      // Not compared in the expectation, which would print them.
      let isWhole = received.dropFirst(start).prefix(large.count) == large[...]
      #expect(isWhole)
      let behind = String(decoding: received.dropFirst(start + large.count), as: UTF8.self)
      #expect(behind.hasPrefix("HTTP/1.1 200 OK\r\n") && behind.hasSuffix("\r\n\r\n/behind"))
    }
  }
}
