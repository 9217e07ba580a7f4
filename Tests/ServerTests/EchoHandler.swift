import Dispatch
import GatehouseHTTP
import GatehouseServer

/// Answers by path, with whatever a test needs.
struct EchoHandler: Handler {
  func respond(to request: Request) async -> Response {
    switch request.target.path {
    case "/hello": return text("hello")
    case "/later":
      await withCheckedContinuation { done in DispatchQueue.global().async { done.resume() } }
      return text("later")
    case "/echo": return await echo(request)
    case "/echo-later":
      await withCheckedContinuation { done in DispatchQueue.global().async { done.resume() } }
      return await echo(request)
    case "/kind": return text(kind(request.body))
    case "/stream": return Response(status: .ok, body: .stream(count))
    case "/endless": return Response(status: .ok, body: .stream(endless))
    case "/broken": return Response(status: .ok, body: .stream(broken))
    case "/refuse": return Response(status: .badRequest, body: .bytes(Array("no".utf8)))
    case "/split":
      return Response(status: .ok, fields: Fields([.init(name: "x", value: "a\r\nb: c")]))
    case "/empty": return Response(status: .noContent)
    case "/large": return Response(status: .ok, body: .bytes([UInt8](repeating: 0x61, count: 3_000_000)))
    case let path: return text(path)
    }
  }

  private func text(_ text: String) -> Response {
    Response(status: .ok, body: .bytes(Array(text.utf8)))
  }

  private func kind(_ body: RequestBody) -> String {
    switch body {
    case .empty: "empty"
    case .bytes(let bytes): "bytes \(bytes.count)"
    case .stream: "stream"
    }
  }

  private func echo(_ request: Request) async -> Response {
    do {
      return Response(status: .ok, body: .bytes(try await request.body.collect(limit: 10_000_000)))
    } catch {
      return text("\(error)")
    }
  }

  private func count(_ writer: any BodyWriter) async throws {
    for number in 1...3 { try await writer.write(Array("\(number)\n".utf8)) }
  }

  private func endless(_ writer: any BodyWriter) async throws {
    while true { try await writer.write([UInt8](repeating: 0x61, count: 10_000)) }
  }

  private func broken(_ writer: any BodyWriter) async throws {
    try await writer.write(Array("part".utf8))
    throw ClientDisconnectedError()
  }
}

/// Starts a server on a free port of the loopback interface, and shuts it down at the end.
func withServer(
  handler: some Handler = EchoHandler(), _ change: (inout Configuration) -> Void = { _ in },
  _ body: (HTTPServer) async throws -> Void
) async throws {
  var configuration = Configuration(addresses: [.ipv4(0x7f00_0001, port: 0)])
  configuration.loopCount = 2
  change(&configuration)
  let server = HTTPServer(configuration: configuration) { _ in handler }
  try server.start()
  let result: Result<Void, any Error>
  do {
    result = .success(try await body(server))
  } catch {
    result = .failure(error)
  }
  await server.shutdown(deadline: .seconds(300))
  try result.get()
}
