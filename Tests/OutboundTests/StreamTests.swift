import GatehouseOutbound
import GatehouseTestSupport
import Synchronization
import Testing

/// Answers that are handed over as they come.
@Suite(.enabled(if: TestServer.hasPython, "needs python3 and openssl"))
struct StreamTests {
  private let client = HTTPClient(.all)
  private let server: TestServer

  init() throws {
    server = try TestServer()
  }

  @Test func `all pieces come, however many bytes they are, and none is returned`() async throws {
    let bytes = Mutex<[UInt8]>([])
    var request = ClientRequest("GET", server.url("/drip"))
    request.responseLimit = 10
    let response = try await client.stream(request) { piece in bytes.withLock { $0 += piece } }
    #expect(response.status == 200 && response.content.isEmpty)
    let text = "one" + String(repeating: "two", count: 1000) + "three"
    #expect(bytes.withLock { $0 } == Array(text.utf8))
  }

  @Test func `an answer of another status is returned`() async throws {
    let pieces = Mutex(0)
    let response = try await client.stream(ClientRequest("GET", server.url("/status/401"))) { _ in
      pieces.withLock { $0 += 1 }
    }
    #expect(response.status == 401 && response.content == Array("said".utf8))
    #expect(pieces.withLock { $0 } == 0)
  }

  @Test func `one that goes on ends with its task, or when nothing comes any more`() async throws {
    let begun = AsyncStream<Void>.makeStream()
    let request = ClientRequest("GET", server.url("/drip?stays"))
    let task = Task { [client] in
      _ = try await client.stream(request) { _ in begun.continuation.yield() }
    }
    for await _ in begun.stream { break }
    task.cancel()
    await #expect(throws: ClientError.cancelled) { try await task.value }
    var short = request
    short.timeout = .seconds(1)
    let last = short
    await #expect(throws: ClientError.timedOut) { try await read(last) }
  }

  private func read(_ request: ClientRequest) async throws {
    _ = try await client.stream(request) { _ in }
  }
}
