import GatehouseHTTP
import GatehouseServer
import Synchronization
import Testing

private let host = "host: localhost\r\n\r\n"

/// At `/wait`, waits until it is cancelled; elsewhere tells whether it is.
private final class Patient: Handler {
  let called = AsyncStream.makeStream(of: Void.self)
  let cancelled = AsyncStream.makeStream(of: Void.self)
  private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

  func respond(to request: Request) async -> Response {
    if request.target.path == "/wait" {
      await withTaskCancellationHandler {
        await withCheckedContinuation { done in
          waiter.withLock { $0 = done }
          called.continuation.yield()
        }
      } onCancel: {
        waiter.withLock { $0.take() }?.resume()
        cancelled.continuation.yield()
      }
    }
    return Response(status: .ok, body: .bytes(Array("cancelled: \(Task.isCancelled)".utf8)))
  }
}

extension `A server` {
  @Test func `a request that waits holds up none, and a client that leaves cancels its own request only`()
    async throws
  {
    let patient = Patient()
    try await withServer(handler: patient) {
      // So that one worker would be at both requests.
      $0.loopCount = 1
    } _: { server in
      let other = try Client(server.boundAddress)
      other.send("GET /first HTTP/1.1\r\n" + host)
      #expect(other.receive(until: "false").hasSuffix("cancelled: false"))
      var waiting: Client? = try Client(server.boundAddress)
      waiting?.send("GET /wait HTTP/1.1\r\n" + host)
      for await _ in patient.called.stream { break }
      other.send("GET /second HTTP/1.1\r\n" + host)
      #expect(other.receive(until: "false").hasSuffix("cancelled: false"))
      waiting?.reset()
      waiting = nil
      for await _ in patient.cancelled.stream { break }
      for _ in 1...3 {
        other.send("GET /third HTTP/1.1\r\n" + host)
        #expect(other.receive(until: "false").hasSuffix("cancelled: false"))
      }
    }
  }

  @Test func `a request that waits holds up none of those that come with it`()
    async throws
  {
    let patient = Patient()
    try await withServer(handler: patient) {
      $0.loopCount = 1
    } _: { server in
      var clients = try (1...8).map { _ in try Client(server.boundAddress) }
      for (index, client) in clients.enumerated() {
        client.send("GET \(index == 3 ? "/wait" : "/now") HTTP/1.1\r\n" + host)
      }
      for (index, client) in clients.enumerated() where index != 3 {
        #expect(client.receive(until: "false").hasSuffix("cancelled: false"))
      }
      clients.remove(at: 3).reset()
      for await _ in patient.cancelled.stream { break }
    }
  }
}
