import GatehouseTestSupport
import Testing

/// `limits.requestsPerSecond` in the running program.
struct RateLimitTests {
  private static let key = "0123456789abcdef"
  /// The requests that arrive together: so many that most are refused, however slow the machine is.
  private static let count = 60
  private static let limits = ["--limits-requests-per-second", "1", "--limits-request-burst", "3"]

  private struct Burst: Equatable {
    /// The requests that were answered before the first one was refused.
    var answered = 0
    var refused = 0
    /// The `Retry-After` of the refused ones.
    var retryAfter: Set<String> = []

    /// Whether the first three were answered and some of the others were not.
    var isLimited: Bool { answered == 3 && refused > 0 && retryAfter == ["1"] }
  }

  /// Sends requests, one behind the other on one connection.
  private func burst(_ path: String, fields: [String: String] = [:], to server: RunningServer) throws -> Burst
  {
    let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
    let requests = (1...Self.count).map { number in
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(lines)"
        + (number == Self.count ? "Connection: close\r\n\r\n" : "\r\n")
    }
    let answers = try server.exchange(requests.joined()).components(separatedBy: "HTTP/1.1 ", atMost: .max)
    var burst = Burst()
    for answer in try answers.dropFirst().map({ try RunningServer.Answer("HTTP/1.1 " + $0) }) {
      if answer.status == "429 Too Many Requests" {
        #expect(answer.body.contains("rate_limited"))
        burst.refused += 1
        burst.retryAfter.insert(answer.fields["retry-after"] ?? "none")
      } else if burst.refused == 0 {
        #expect(answer.status == "200 OK")
        burst.answered += 1
      }
    }
    #expect(answers.count == Self.count + 1)
    return burst
  }

  @Test func `an address has its requests, whatever it says of itself, and more as time goes by`() throws {
    let server = try RunningServer(try Sample.nodeStore(), options: Self.limits)
    #expect(try burst("/v1/schema", to: server).isLimited)
    let forged = try burst("/v1/schema", fields: ["X-Forwarded-For": "192.0.2.1"], to: server)
    #expect(forged.refused > 0 && forged.answered < 3)
    for path in ["/livez", "/readyz"] { #expect(try burst(path, to: server).refused == 0) }
    var status = ""
    let end = ContinuousClock.now + .seconds(60)
    while status != "200 OK", ContinuousClock.now < end {
      status = try server.send("GET", "/v1/schema").status
    }
    #expect(status == "200 OK")
    #expect(server.stop() == 0)
  }

  @Test func `behind a proxy, each client's address has its own`() throws {
    let server = try RunningServer(
      try Sample.nodeStore(), options: Self.limits + ["--server-proxies", "127.0.0.1"])
    for client in ["192.0.2.1", "192.0.2.2", "2001:db8:1::1", "2001:db8:2::1"] {
      let burst = try burst("/v1/schema", fields: ["X-Forwarded-For": client], to: server)
      #expect(burst.isLimited, "\(client): \(burst)")
    }
    // The client's own words stand before what the proxy saw.
    let known = try burst("/v1/schema", fields: ["X-Forwarded-For": "192.0.2.9, 192.0.2.1"], to: server)
    // A network of IPv6 is one address.
    let neighbour = try burst("/v1/schema", fields: ["X-Forwarded-For": "2001:db8:1::2"], to: server)
    for burst in [known, neighbour] { #expect(burst.refused > 0 && burst.answered < 3, "\(burst)") }
    #expect(server.stop() == 0)
  }

  @Test func `a credential has its requests, wherever it is shown`() throws {
    let server = try RunningServer(
      try Sample.nodeStore(), options: Self.limits + ["--server-proxies", "127.0.0.1"],
      environment: ["GATEHOUSE_ADMIN_KEY=\(Self.key)"])
    let known = { ["Authorization": "Bearer \(Self.key)", "X-Forwarded-For": $0] }
    #expect(try burst("/v1/schema", fields: known("192.0.2.1"), to: server).isLimited)
    let elsewhere = try burst("/v1/schema", fields: known("192.0.2.2"), to: server)
    #expect(elsewhere.refused > 0 && elsewhere.answered < 3, "\(elsewhere)")
    // The address is not its credential's.
    #expect(
      try server.send("GET", "/v1/schema", fields: ["X-Forwarded-For": "192.0.2.1"]).status
        == "401 Unauthorized")
    #expect(server.stop() == 0)
  }

  @Test func `nobody is limited unless it is set`() throws {
    let server = try RunningServer(try Sample.nodeStore())
    #expect(try burst("/v1/schema", to: server) == Burst(answered: Self.count))
    #expect(server.stop() == 0)
  }
}
