import GatehouseHTTP
import GatehouseServer
import Synchronization
import Testing

private let host = "host: localhost\r\n\r\n"

// The exact points at which limits bite are tested with the parser and the connection; here, that sockets obey.
extension `A server` {
  @Test func `connections beyond the limits are closed as they come`() async throws {
    for change in [{ $0.connections = 2 }, { $0.connectionsPerAddress = 2 }]
      as [(inout Configuration) -> Void]
    {
      try await withServer(change) { server in
        var kept = [try Client(server.boundAddress), try Client(server.boundAddress)]
        for client in kept {
          client.send("GET /hello HTTP/1.1\r\n" + host)
          #expect(client.receive(until: "hello").hasSuffix("hello"))
        }
        let refused = try Client(server.boundAddress)
        #expect(refused.receivePiece().isEmpty)
        #expect(server.connectionCount == 2)
        kept[0].send("GET /hello HTTP/1.1\r\nconnection: close\r\n" + host)
        #expect(kept[0].receive().hasSuffix("hello"))
        kept.removeFirst()
        while server.connectionCount > 1 { await Task.yield() }
        let next = try Client(server.boundAddress)
        next.send("GET /hello HTTP/1.1\r\n" + host)
        #expect(next.receive(until: "hello").hasSuffix("hello"))
      }
    }
  }

  @Test func `a head that trickles is answered with 408 in time`() async throws {
    try await withServer {
      $0.limits.headTime = .milliseconds(50)
      $0.tick = .milliseconds(10)
    } _: { server in
      let client = try Client(server.boundAddress)
      client.send("GET /hello HTTP/1.1\r\nX:")
      #expect(client.receive().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    }
  }

  @Test func `what is due from time to time is done before the first who comes after a while is answered`()
    async throws
  {
    let handler = TickCounter()
    try await withServer(handler: handler) {
      $0.tick = .seconds(3600)
      $0.loopCount = 1
    } _: { server in
      let client = try Client(server.boundAddress)
      client.send("GET /ticks HTTP/1.1\r\nconnection: close\r\n" + host)
      #expect(client.receive().hasSuffix("\r\n\r\n1"))
    }
  }

  @Test func `a handler is told when its loop has done what was ready`() async throws {
    try await withServer(handler: RestCounter()) {
      $0.loopCount = 1
    } _: { server in
      let client = try Client(server.boundAddress)
      // The second may come with the first.
      for _ in 0..<3 {
        client.send("GET /rests HTTP/1.1\r\n" + host)
        #expect(!client.receivePiece().isEmpty)
      }
      client.send("GET /rests HTTP/1.1\r\nconnection: close\r\n" + host)
      #expect(!client.receive().hasSuffix("\r\n\r\n0"))
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nhost: a\r\norigin: https://b.test\r\nb c: d\r\n\r\n", "400 Bad Request"),
    ("GET /\(String(repeating: "a", count: 200)) HTTP/1.1\r\norigin: https://b.test\r\n", "414 URI Too Long"),
    ("GET / HTTP/2.0\r\nhost: a\r\norigin: https://b.test\r\n\r\n", "505 HTTP Version Not Supported"),
    ("PUT / HTTP/1.1\r\norigin: https://b.test\r\ncontent-length: 999999999\r\n", "413 Content Too Large"),
    ("GET / HTTP/1.1\r\norigin: https://b.test\r\n", "408 Request Timeout"),
  ])
  func `a page that may read answers may read why its request broke a rule`(
    _ request: String, _ status: String
  ) async throws {
    for origins in [
      ["https://a.test", "https://b.test"], ["https://b.test"], ["https://a.test", "https://c.test"],
    ] {
      try await withServer {
        $0.cors = CORSPolicy(origins: .these(Set(origins)))
        $0.limits.requestLine = 100
        $0.limits.headTime = .milliseconds(50)
        $0.tick = .milliseconds(10)
      } _: { server in
        let client = try Client(server.boundAddress)
        client.send(request)
        let lines = client.receive().split(separator: "\r\n")
        #expect(lines.first == "HTTP/1.1 \(status)")
        #expect(lines.contains("vary: origin"))
        // Nothing is known of a head that did not come in time.
        let isKnown = origins.count == 1 || !status.hasPrefix("408") && origins.contains("https://b.test")
        #expect(lines.contains("access-control-allow-origin: https://b.test") == isKnown)
        #expect(!lines.contains { $0.hasPrefix("access-control-allow-origin: https://a") })
      }
    }
  }

  @Test func `a connection without requests is closed in time`() async throws {
    try await withServer {
      $0.limits.idleTime = .milliseconds(50)
      $0.tick = .milliseconds(10)
    } _: { server in
      let client = try Client(server.boundAddress)
      #expect(client.receive() == "")
    }
  }

  @Test func `a reader that stops is let go, and its producer told`() async throws {
    try await withServer {
      $0.limits.progressTime = .milliseconds(50)
      $0.tick = .milliseconds(10)
    } _: { server in
      let client = try Client(server.boundAddress)
      client.send("GET /endless HTTP/1.1\r\n" + host)
      #expect(!client.receivePiece(limit: 100).isEmpty)
      // Nothing is read until the server has given up; then what was under way comes, and the end.
      while server.connectionCount > 0 { await Task.yield() }
      var count = 0
      while case let piece = client.receivePiece(), !piece.isEmpty { count += piece.count }
      #expect(count < 100_000_000)
    }
  }

  @Test func `content beyond the limit is refused before it is read`() async throws {
    try await withServer {
      $0.limits.content = 100_000
      $0.limits.gatheredContent = 10
    } _: { server in
      let client = try Client(server.boundAddress)
      client.send("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 100001\r\n\r\n")
      #expect(client.receive().hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
      let other = try Client(server.boundAddress)
      other.send("POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n186a1\r\n")
      #expect(other.receive().hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
      let late = try Client(server.boundAddress)
      late.send(
        "POST /echo HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n")
      #expect(late.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
      late.send("1\r\na\r\n186a0\r\n")
      #expect(late.receive().hasSuffix("tooLarge(limit: 100000)"))
    }
  }
}

/// Answers with how often it was told that the loop rests.
private final class RestCounter: Handler {
  private let rests = Atomic(0)

  func rest() {
    rests.add(1, ordering: .relaxed)
  }

  func respond(to request: Request) async -> Response {
    Response(status: .ok, body: .bytes(Array("\(rests.load(ordering: .relaxed))".utf8)))
  }
}

/// Answers with how often it was ticked.
private final class TickCounter: Handler {
  private let ticks = Atomic(0)

  func tick() {
    ticks.add(1, ordering: .relaxed)
  }

  func respond(to request: Request) async -> Response {
    Response(status: .ok, body: .bytes(Array("\(ticks.load(ordering: .relaxed))".utf8)))
  }
}
