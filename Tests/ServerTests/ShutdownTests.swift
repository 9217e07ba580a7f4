import Dispatch
import GatehouseHTTP
import GatehouseServer
import Synchronization
import Testing

private let host = "host: localhost\r\n\r\n"

/// Says when it was called, and answers when it is told to.
private final class Gate: Handler, Sendable {
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
  let called = AsyncStream.makeStream(of: Void.self)

  func respond(to request: Request) async -> Response {
    await withCheckedContinuation { done in
      waiting.withLock { $0.append(done) }
      called.continuation.yield()
    }
    return Response(status: .ok, body: .bytes(Array("done".utf8)))
  }

  func open() {
    for done in waiting.withLock({ $0 }) { done.resume() }
  }
}

extension `A server` {
  @Test func `shutting down finishes what runs and closes what is idle`() async throws {
    let gate = Gate()
    var configuration = Configuration(addresses: [try SocketAddress("127.0.0.1:0")])
    // One loop, so that each step has been done for all connections once it has for one.
    configuration.loopCount = 1
    let server = HTTPServer(configuration: configuration) { _ in gate }
    try server.start()
    let idle = try Client(server.boundAddress)
    let busy = try Client(server.boundAddress)
    busy.send("GET / HTTP/1.1\r\n" + host)
    for await _ in gate.called.stream { break }
    let shutdown = Task { await server.shutdown(deadline: .seconds(300)) }
    #expect(idle.receive() == "")
    gate.open()
    // The loop of the busy one may hear of the end only after it has answered, and then closes without a word.
    let answer = busy.receive()
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n"))
    #expect(answer.hasSuffix("\r\n\r\ndone"))
    await shutdown.value
    #expect(server.connectionCount == 0)
    #expect(throws: ServerError.self) { try Client(server.boundAddress) }
  }

  @Test func `what is not done by the deadline is cut off`() async throws {
    let gate = Gate()
    let server = HTTPServer(configuration: Configuration(addresses: [try SocketAddress("127.0.0.1:0")])) {
      _ in
      gate
    }
    try server.start()
    let client = try Client(server.boundAddress)
    client.send("GET / HTTP/1.1\r\n" + host)
    for await _ in gate.called.stream { break }
    await server.shutdown(deadline: .milliseconds(20))
    #expect(client.receive() == "")
    gate.open()
  }

  @Test func `an address in use is refused`() async throws {
    try await withServer { server in
      let address = try #require(server.boundAddress)
      let second = HTTPServer(configuration: Configuration(addresses: [address])) { _ in EchoHandler() }
      #expect(throws: ServerError.addressInUse(address.description)) { try second.start() }
    }
  }

  @Test func `a producer learns that its client is gone`() async throws {
    let ended = AsyncStream.makeStream(of: String.self)
    struct Producer: Handler {
      let ended: AsyncStream<String>.Continuation

      func respond(to request: Request) async -> Response {
        Response(
          status: .ok,
          body: .stream { writer in
            do {
              while true { try await writer.write([UInt8](repeating: 0x61, count: 10_000)) }
            } catch {
              ended.yield("\(type(of: error))")
              throw error
            }
          })
      }
    }
    try await withServer(handler: Producer(ended: ended.continuation)) { server in
      let client = try Client(server.boundAddress)
      client.send("GET / HTTP/1.1\r\n" + host)
      #expect(!client.receivePiece().isEmpty)
      client.reset()
      for await reason in ended.stream {
        #expect(reason == "ClientDisconnectedError")
        break
      }
    }
  }
}

@Test(arguments: [
  ("127.0.0.1:8080", SocketAddress.ipv4(0x7f00_0001, port: 8080)),
  ("localhost:1", .ipv4(0x7f00_0001, port: 1)),
  ("[::1]:80", .ipv6(0, 1, port: 80)),
  ("[2001:db8::ff:1]:0", .ipv6(0x2001_0db8_0000_0000, 0x00ff_0001, port: 0)),
  ("unix:/run/a.sock", .unix("/run/a.sock")),
])
func `an address is read and written`(text: String, address: SocketAddress) throws {
  #expect(try SocketAddress(text) == address)
  #expect(try SocketAddress(address.description) == address)
}

@Test(arguments: ["", "127.0.0.1", ":80", "[::1]", "1.2.3:80", "a:80", "127.0.0.1:65536", "unix:", "::1:80"])
func `what is no address is refused`(text: String) {
  #expect(throws: ServerError.malformedAddress(text)) { try SocketAddress(text) }
}
