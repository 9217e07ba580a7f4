import GatehouseHTTP
import GatehouseServer
import GatehouseTestSupport
import Glibc
import Synchronization
import Testing

private let folder = "\(Machine.root)/Tests/ServerTests/tls/"

/// Returns the output of a command.
private func output(of command: String) -> String { Machine.run(command).output }

private func copy(_ source: String, to target: String) {
  _ = output(of: "cp '\(source)' '\(target)'")
}

private let hasPython = output(of: "python3 -c 'import ssl; print(1)' 2>/dev/null") == "1\n"

/// Changes the certificate when asked to.
private final class ReloadingHandler: Handler, Sendable {
  let server = Mutex<HTTPServer?>(nil)
  let replace: @Sendable () -> Void

  init(replace: @escaping @Sendable () -> Void) {
    self.replace = replace
  }

  func respond(to request: Request) async -> Response {
    switch request.target.path {
    case "/secure": return Response(status: .ok, body: .bytes(Array("\(request.isSecure)".utf8)))
    case "/reload":
      replace()
      do {
        try server.withLock(\.self)?.reloadCertificate()
        return Response(status: .ok, body: .bytes(Array("reloaded".utf8)))
      } catch {
        return Response(status: .ok, body: .bytes(Array("\(error)".utf8)))
      }
    default: return await EchoHandler().respond(to: request)
    }
  }
}

extension `A server` {
  @Test(.enabled(if: hasPython, "python3 with ssl is not there"))
  func `TLS is spoken as another implementation understands it`() async throws {
    let temporary = output(of: "mktemp -d").dropLast()
    defer { _ = output(of: "rm -r '\(temporary)'") }
    let certificate = Certificate(chainFile: "\(temporary)/chain.pem", keyFile: "\(temporary)/key.pem")
    copy("\(folder)first.pem", to: certificate.chainFile)
    copy("\(folder)first.key", to: certificate.keyFile)
    let handler = ReloadingHandler {
      copy("\(folder)second.pem", to: certificate.chainFile)
      copy("\(folder)second.key", to: certificate.keyFile)
    }
    try await withServer(handler: handler) { configuration in
      configuration.secureAddresses = configuration.addresses
      configuration.certificate = certificate
    } _: { server in
      handler.server.withLock { $0 = server }
      #expect(server.boundAddresses.count == 2)
      let port = try #require(server.boundAddresses.last?.port)
      let plain = try Client(server.boundAddress)
      plain.send("GET /secure HTTP/1.1\r\nhost: a\r\n\r\n")
      #expect(plain.receive(until: "false").hasSuffix("false"))
      let text = output(of: "python3 -W ignore '\(folder)client.py' \(port) 2>&1")
      #expect(
        text == """
          1.3: TLSv1.3 http/1.1
          1.2: TLSv1.2 http/1.1
          1.1: refused
          no ALPN: TLSv1.3 None
          only h2: refused
          content: hello later
          large: 3000000
          pipelined: /1 /2
          echo: True
          secure: true
          last: hello
          end: b''
          certificate: first reloaded hello
          certificate: second
          plain: False

          """)
      handler.server.withLock { $0 = nil }
    }
  }

  @Test func `a certificate that is of no use is refused, by name`() async throws {
    let missing = Certificate(chainFile: "\(folder)none.pem", keyFile: "\(folder)first.key")
    let mismatched = Certificate(chainFile: "\(folder)first.pem", keyFile: "\(folder)second.key")
    let swapped = Certificate(chainFile: "\(folder)first.key", keyFile: "\(folder)first.pem")
    let keyless = Certificate(chainFile: "\(folder)first.pem", keyFile: "\(folder)first.pem")
    for (certificate, error) in [
      (missing, ServerError.unreadableCertificate(file: missing.chainFile, code: ENOENT)),
      (mismatched, .foreignKey(file: mismatched.keyFile)),
      (swapped, .malformedCertificate(file: swapped.chainFile)),
      (keyless, .malformedKey(file: keyless.keyFile)),
    ] {
      var configuration = Configuration(addresses: [])
      configuration.certificate = certificate
      let server = HTTPServer(configuration: configuration) { _ in EchoHandler() }
      #expect(throws: error) { try server.start() }
    }
    var configuration = Configuration(addresses: [])
    configuration.secureAddresses = [.ipv4(0x7f00_0001, port: 0)]
    let server = HTTPServer(configuration: configuration) { _ in EchoHandler() }
    #expect(throws: ServerError.missingCertificate) { try server.start() }
  }
}
