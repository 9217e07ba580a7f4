import GatehouseHTTP
import GatehouseSharing
import Synchronization
import Testing

@testable import GatehouseAPI

struct RateLimitTests {
  private final class Clock: Sendable {
    let time = Atomic<UInt64>(1_000_000_000_000)
  }

  private let clock = Clock()
  private static let adminKey = "0123456789abcdef"
  private static let known = ["authorization": "Bearer \(adminKey)"]

  /// A gateway that takes two requests at once from each caller, and one more every second.
  private func with(_ adminKey: String = RateLimitTests.adminKey, _ body: (Gateway) async throws -> Void)
    async throws
  {
    let fixture = try await Fixture(adminKey: adminKey)
    var options = GatewayOptions()
    options.access = fixture.gateway.context.access
    options.policies.update {
      $0.rates = RateLimiter(requestsPerSecond: 1, burst: 2) { [clock] in clock.time.load(ordering: .relaxed)
      }
    }
    let gateway = try Gateway(store: fixture.store, options: options)
    gateway.start(on: fixture.loop)
    try await body(gateway)
    await fixture.remove()
  }

  private func send(
    _ gateway: Gateway, _ path: String, _ fields: [String: String] = [:], method: Method = .get,
    from address: UInt32 = 1
  ) async throws -> Answer {
    var request = Request(
      method: method, target: Target(path: path, query: nil),
      fields: Fields(fields.map { Fields.Line(name: $0.key, value: $0.value) }))
    request.peer = .ipv4(address, port: 1)
    return try await Answer(await gateway.respond(to: request))
  }

  @Test func `a credential has its requests, wherever it comes from, and one more as time goes by`()
    async throws
  {
    try await with { gateway async throws in
      for address: UInt32 in [1, 2] {
        #expect(try await send(gateway, "/v1/schema", Self.known, from: address).status == 200)
      }
      let refused = try await send(gateway, "/v1/schema", Self.known, from: 3)
      #expect((refused.status, refused.code, refused.fields["retry-after"]) == (429, "rate_limited", "1"))
      // Nobody else pays for it: the address has its own.
      #expect(try await send(gateway, "/v1/schema", from: 3).status == 401)
      clock.time.add(1_000_000_000, ordering: .relaxed)
      #expect(try await send(gateway, "/v1/schema", Self.known).status == 200)
      #expect(try await send(gateway, "/v1/schema", Self.known).status == 429)
    }
  }

  @Test(
    arguments: [
      ("/v1/schema", Method.get, 401), ("/nowhere", .get, 404), ("/v1/schema", .delete, 405),
      ("/v1/schema", .options, 204), ("*", .options, 204),
    ] as [(String, Method, UInt16)])
  func `as long as nobody is known, the address counts`(path: String, method: Method, status: UInt16)
    async throws
  {
    try await with { gateway async throws in
      for _ in 1...2 { #expect(try await send(gateway, path, method: method).status == status) }
      #expect(
        try await send(gateway, path, ["authorization": "Bearer x"], method: method).code == "rate_limited")
      #expect(try await send(gateway, path, method: method, from: 2).status == status)
      // A good credential is not its address.
      #expect(try await send(gateway, "/v1/schema", Self.known).status == 200)
    }
  }

  @Test func `what HTTP refuses counts for its address, and costs no one who is known anything`() async throws
  {
    try await with { gateway async throws in
      let (peer, other) = (PeerAddress.ipv4(1, port: 1), PeerAddress.ipv4(2, port: 1))
      for wait in [nil, nil, 1] { #expect(gateway.countRefusal(of: peer) == wait) }
      #expect(try await send(gateway, "/v1/schema").code == "rate_limited")
      #expect(try await send(gateway, "/v1/schema", Self.known).status == 200)
      #expect(gateway.countRefusal(of: other) == nil)
      clock.time.add(1_000_000_000, ordering: .relaxed)
      #expect(gateway.countRefusal(of: peer) == nil)
    }
  }

  @Test func `what a running gateway asks of requests may change`() async throws {
    let fixture = try await Fixture()
    let options = GatewayOptions()
    let gateway = try Gateway(store: fixture.store, options: options)
    gateway.start(on: fixture.loop)
    #expect(try await send(gateway, "/v1/schema").status == 200)
    options.policies.update {
      $0.rates = RateLimiter(requestsPerSecond: 1, burst: 1) { [clock] in clock.time.load(ordering: .relaxed)
      }
    }
    for status in [200, 429] as [UInt16] { #expect(try await send(gateway, "/v1/schema").status == status) }
    options.policies.update { ($0.rates, $0.hosts) = (nil, HostPolicy(.loopback)) }
    #expect(try await send(gateway, "/v1/schema", ["host": "example.org"]).code == "misdirected_request")
    options.policies.update { $0 = RequestPolicies() }
    #expect(try await send(gateway, "/v1/schema", ["host": "example.org"]).status == 200)
    await fixture.remove()
  }

  @Test func `without keys, the address counts, and probes never`() async throws {
    try await with("") { gateway async throws in
      for _ in 1...2 { #expect(try await send(gateway, "/v1/schema").status == 200) }
      #expect(try await send(gateway, "/v1/schema").status == 429)
      for path in ["/livez", "/readyz"] { #expect(try await send(gateway, path).status == 200) }
    }
  }
}
