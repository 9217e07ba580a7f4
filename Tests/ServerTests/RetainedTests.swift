import GatehouseHTTP
import GatehouseServer
import Synchronization
import Testing

private let host = "host: localhost\r\n\r\n"

extension `A server` {
  @Test(arguments: [true, false])
  func `what an answer retains is let go when the answer has left, or its client`(isRead: Bool) async throws {
    let handler = RetainingHandler()
    try await withServer(handler: handler) { server in
      var client: Client? = try Client(server.boundAddress)
      client?.send("GET / HTTP/1.1\r\nconnection: close\r\n" + host)
      #expect(client?.receivePiece().isEmpty == false)
      // The system does not take that much of what nobody reads.
      #expect(handler.retained == 1)
      if isRead { while client?.receivePiece().isEmpty == false {} } else { client = nil }
      for _ in 0..<10_000_000 where handler.retained > 0 { await Task.yield() }
      #expect(handler.retained == 0)
    }
  }
}

/// Answers with 64 MiB, and counts the answers that are there.
private final class RetainingHandler: Handler {
  private final class Retained: Sendable {
    let count: Tally

    init(_ count: Tally) {
      self.count = count
      count.value.add(1, ordering: .relaxed)
    }

    deinit {
      count.value.subtract(1, ordering: .relaxed)
    }
  }

  private final class Tally: Sendable {
    let value = Atomic(0)
  }

  private let count = Tally()

  var retained: Int { count.value.load(ordering: .relaxed) }

  func respond(to request: Request) async -> Response {
    var response = Response(status: .ok, body: .bytes([UInt8](repeating: 0x61, count: 64 << 20)))
    response.retained = Retained(count)
    return response
  }
}
