import GatehouseHTTP
import GatehouseServer
import Glibc
import Synchronization
import Testing

private let host = "host: localhost\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nanswer"

/// Answers when it is told to, or when it is cancelled; at `/now` at once.
private final class SlowHandler: Handler {
  let called = AsyncStream.makeStream(of: Void.self)
  let cancelled = AsyncStream.makeStream(of: Void.self)
  private let opening = AsyncStream.makeStream(of: Void.self)

  func respond(to request: Request) async -> Response {
    switch request.target.path {
    case "/now": break
    case "/stream": return Response(status: .ok, body: .stream(write))
    default: await wait()
    }
    return Response(status: .ok, body: .bytes(Array("answer".utf8)))
  }

  private func write(_ writer: any BodyWriter) async throws {
    try await writer.write(Array("a".utf8))
    await wait()
    try await writer.write(Array("b".utf8))
  }

  private func wait() async {
    called.continuation.yield()
    for await _ in opening.stream { break }
    if Task.isCancelled { cancelled.continuation.yield() }
  }

  func open() { opening.continuation.yield() }
}

/// Answers with a response that stays open, and tells when its client has gone.
private final class Events: Handler, PushSource {
  let ended = AsyncStream.makeStream(of: Void.self)

  func respond(to request: Request) async -> Response { Response(status: .ok, body: .pushed(self)) }
  func start(_ sink: any PushSink) { sink.push(Array("event".utf8)) }
  func resume() {}
  func end() { ended.continuation.yield() }
}

private enum Family: CaseIterable {
  case internet, unix
}

/// A server with one loop, so that what is sent first is seen first.
private func withOneLoop(
  _ handler: some Handler, _ family: Family = .internet, _ body: (SocketAddress?) async throws -> Void
) async throws {
  try await withServer(handler: handler) {
    $0.loopCount = 1
    $0.tick = .milliseconds(10)
    $0.limits.probeTime = .milliseconds(10)
    if family == .unix {
      $0.addresses = [.unix("/tmp/gatehouse-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock")]
    }
  } _: { server in
    try await body(server.boundAddress)
  }
}

extension `A server` {
  @Test func `a client that has closed its side is asked whether it is there, and has its answer`()
    async throws
  {
    let handler = SlowHandler()
    try await withOneLoop(handler) { address in
      let client = try Client(address)
      client.send("GET /slow HTTP/1.1\r\n" + host)
      for await _ in handler.called.stream { break }
      client.finishSending()
      let interim = "HTTP/1.1 100 Continue\r\n\r\n"
      #expect(client.receive(until: interim) == interim)
      handler.open()
      #expect(client.receive() == answer)
    }
  }

  @Test(arguments: [(Family.internet, "HTTP/1.0\r\nconnection: keep-alive"), (.unix, "HTTP/1.1")])
  private func `one that cannot be asked, or need not, has its answer as well`(
    family: Family, version: String
  ) async throws {
    let handler = SlowHandler()
    try await withOneLoop(handler, family) { address in
      let (client, other) = (try Client(address), try Client(address))
      client.send("GET /slow \(version)\r\n" + host)
      for await _ in handler.called.stream { break }
      client.finishSending()
      // The loop sees the end before it answers a request that comes later.
      other.send("GET /now HTTP/1.1\r\n" + host)
      #expect(other.receive(until: "answer") == answer)
      handler.open()
      #expect(client.receive().hasSuffix("\r\n\r\nanswer"))
    }
  }

  @Test func `one that is being sent a stream has the rest`() async throws {
    let handler = SlowHandler()
    try await withOneLoop(handler) { address in
      let (client, other) = (try Client(address), try Client(address))
      client.send("GET /stream HTTP/1.1\r\n" + host)
      for await _ in handler.called.stream { break }
      client.finishSending()
      other.send("GET /now HTTP/1.1\r\n" + host)
      #expect(other.receive(until: "answer") == answer)
      handler.open()
      #expect(client.receive().hasSuffix("\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"))
    }
  }

  @Test(arguments: Family.allCases)
  private func `the call of a client that has gone without a word ends`(family: Family) async throws {
    let handler = SlowHandler()
    try await withOneLoop(handler, family) { address in
      var client: Client? = try Client(address)
      client?.send("GET /slow HTTP/1.1\r\n" + host)
      for await _ in handler.called.stream { break }
      client = nil
      for await _ in handler.cancelled.stream { break }
      let other = try Client(address)
      other.send("GET /now HTTP/1.1\r\n" + host)
      #expect(other.receive(until: "answer") == answer)
    }
  }

  @Test func `an event stream ends when its client closes its side`() async throws {
    let events = Events()
    try await withOneLoop(events) { address in
      let client = try Client(address)
      client.send("GET /events HTTP/1.1\r\n" + host)
      #expect(client.receive(until: "event\r\n").hasSuffix("event\r\n"))
      client.finishSending()
      for await _ in events.ended.stream { break }
      #expect(client.receive() == "")
    }
  }
}
