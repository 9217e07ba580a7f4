import GatehouseHTTP
import GatehouseServer
import Synchronization
import Testing

/// Answers with the address of the client.
private struct AddressHandler: Handler {
  func respond(to request: Request) async -> Response {
    Response(status: .ok, body: .bytes(Array("\(request.peer.address)\n".utf8)))
  }
}

struct ProxyServerTests {
  private static let request = "GET / HTTP/1.1\r\nhost: localhost\r\n"

  /// Returns the address that the handler sees, for each request of one connection; nil: it was closed.
  private func clients(
    _ proxies: TrustedProxies, header: String? = nil, takesHeader: Bool = false,
    fields: [String]
  ) async throws -> [String?] {
    var found: [String?] = []
    try await withServer(handler: AddressHandler()) {
      $0.proxies = proxies
      $0.takesProxyHeader = takesHeader
    } _: { server in
      let client = try Client(server.boundAddress)
      var start = header ?? ""
      for fields in fields {
        client.send(start + Self.request + fields + "\r\n")
        start = ""
        let answer = client.receive(until: "\n")
        found.append(
          answer.hasPrefix("HTTP/1.1 200")
            ? answer.split(separator: "\r\n").last.map { String($0.dropLast()) } : nil)
      }
    }
    return found
  }

  /// Has too many refusals of everybody's from the second one on.
  private final class CountingHandler: Handler {
    let refused = Mutex<[String]>([])

    func respond(to request: Request) async -> Response { Response(status: .ok) }

    func countRefusal(of peer: PeerAddress) -> Int? {
      refused.withLock { refused in
        refused.append("\(peer.address)")
        return refused.count > 1 ? 7 : nil
      }
    }
  }

  /// Nobody knows which of a proxy's clients it was.
  @Test(arguments: [
    (TrustedProxies(), ["127.0.0.1", "127.0.0.1"], [400, 429]), (loopback, [], [400, 400]),
  ])
  func `requests that break a rule are counted for the client who sends them, and refused by that`(
    proxies: TrustedProxies, counted: [String], statuses: [Int]
  ) async throws {
    let handler = CountingHandler()
    try await withServer(handler: handler) {
      $0.proxies = proxies
    } _: { server in
      for status in statuses {
        let client = try Client(server.boundAddress)
        client.send("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n")
        let answer = client.receive()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains("retry-after: 7\r\n") == (status == 429))
        #expect(answer.contains(#""code":"rate_limited""#) == (status == 429))
      }
    }
    #expect(handler.refused.withLock(\.self) == counted)
  }

  private static let loopback = TrustedProxies([Network("127.0.0.0/8")].compactMap(\.self))
  private static let others = TrustedProxies([Network("10.0.0.0/8")].compactMap(\.self), includesLocal: true)
  private static let forged = "x-forwarded-for: 192.0.2.1\r\nforwarded: for=192.0.2.1\r\n"

  @Test func `fields are believed of proxies only`() async throws {
    #expect(try await clients(TrustedProxies(), fields: [Self.forged]) == ["127.0.0.1"])
    #expect(try await clients(Self.others, fields: [Self.forged]) == ["127.0.0.1"])
    #expect(
      try await clients(Self.loopback, fields: [Self.forged, "", "x-forwarded-for: 192.0.2.2\r\n"])
        == ["192.0.2.1", "127.0.0.1", "192.0.2.2"])
  }

  @Test func `a PROXY header is for the whole connection, and its client no proxy`() async throws {
    let header = "PROXY TCP4 192.0.2.9 192.0.2.2 1 2\r\n"
    #expect(
      try await clients(Self.loopback, header: header, takesHeader: true, fields: [Self.forged, ""])
        == ["192.0.2.9", "192.0.2.9"])
    #expect(
      try await clients(
        Self.loopback, header: "PROXY TCP4 127.0.0.9 192.0.2.2 1 2\r\n", takesHeader: true,
        fields: [Self.forged])
        == ["192.0.2.1"])
    #expect(
      try await clients(Self.loopback, header: "PROXY UNKNOWN\r\n", takesHeader: true, fields: [""]) == [
        "127.0.0.1"
      ])
  }

  @Test func `a PROXY header is asked of proxies, and refused of others`() async throws {
    let header = "PROXY TCP4 192.0.2.9 192.0.2.2 1 2\r\n"
    #expect(try await clients(Self.loopback, takesHeader: true, fields: [""]) == [nil])
    #expect(try await clients(Self.others, takesHeader: true, fields: [""]) == ["127.0.0.1"])
    #expect(try await clients(Self.others, header: header, takesHeader: true, fields: [""]) == [nil])
    #expect(try await clients(Self.loopback, header: header, fields: [""]) == [nil])
  }

  @Test func `a PROXY header may come in pieces`() async throws {
    try await withServer(handler: AddressHandler()) {
      $0.proxies = Self.loopback
      $0.takesProxyHeader = true
    } _: { server in
      let client = try Client(server.boundAddress)
      for piece in [
        "PR", "OXY TCP4 192.0.2.9 192.", "0.2.2 1 2\r", "\nGET / HTTP", "/1.1\r\nhost: localhost\r\n\r\n",
      ] {
        client.send(piece)
      }
      #expect(client.receive(until: "\n").hasSuffix("\r\n\r\n192.0.2.9\n"))
    }
  }
}
