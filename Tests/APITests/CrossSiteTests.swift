import BSON
import HTTP
import Testing

@testable import API

/// What a page of another origin can make a browser send: the Fetch standard's "simple" requests go without
/// asking, and all others ask first.
@Suite struct CrossSiteTests {
  /// The content types of simple requests (Fetch §2.2.2), and none.
  private static let simple = [
    nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
    "text/plain;charset=UTF-8", "TEXT/PLAIN; x=application/json",
  ]
  private static let contents = ["", "{}", #"[{"code":"XX","name":"X"}]"#, #"{"operations":[]}"#, "a=b"]

  @Test func `no POST that a page can send without asking writes anything`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      for route in Route.table where route.method == .post && route.endpoint != .appRefresh {
        let path = route.template.replacing("{class}", with: "Country").replacing("{id}", with: "JP")
        for type in Self.simple {
          for content in Self.contents {
            let fields = type.map { ["content-type": $0] } ?? [:]
            let answer = try await fixture.send(.post, path, fields, Array(content.utf8))
            let reason = Comment(rawValue: "\(path) \(type ?? "none") \(content): \(answer.text)")
            // A route with other parts in braces may have nothing there.
            #expect(answer.status == 415 || path.contains("{") && answer.status == 404, reason)
          }
        }
      }
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `what reads changes nothing, whatever else it says`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      for route in Route.table where route.method == .get {
        let path = route.template.replacing("{class}", with: "Country").replacing("{id}", with: "JP")
        for target in [path, path + "?_method=DELETE"] {
          for method in [Method.get, .head] {
            let fields = ["content-type": "application/json", "x-http-method-override": "DELETE"]
            _ = try await fixture.send(method, target, fields, Array("{}".utf8))
          }
        }
      }
      #expect(try await fixture.everything() == before)
    }
  }

  @Test func `whatever else writes has a method that browsers ask about first`() {
    let simple: Set<HTTP.Method> = [.get, .head, .post]
    for route in Route.table where !simple.contains(route.method) {
      #expect([.put, .patch, .delete, .query].contains(route.method), "\(route.template)")
    }
    // A refresh takes a token that no page has, and has no content.
    for route in Route.table where route.method == .post && route.endpoint != .appRefresh {
      #expect(!route.endpoint.reads.isEmpty, "\(route.template)")
    }
  }

  @Test func `a request for another host is refused, and has done nothing`() async throws {
    try await Fixture.with(hosts: HostPolicy(.loopback)) { fixture in
      let remote = PeerAddress.ipv4(0x7F00_0001, port: 1)
      let content: [UInt8] = Array(#"{"code":"XX","name":"X"}"#.utf8)
      let before = try await fixture.everything()
      for host in ["attacker.example", "localhost.attacker.example", nil] {
        let answer = try await fixture.send(
          .post, "/v1/collections/Country",
          ["content-type": "application/json"].merging(host.map { ["host": $0] } ?? [:]) { $1 }, content,
          from: remote)
        #expect((answer.status, answer.code) == (421, "misdirected_request"))
        #expect(answer.text.contains(#""header":"Host""#) && !answer.text.contains("attacker"))
      }
      #expect(try await fixture.everything() == before)
      let read = try await fixture.send(.get, "/v1/schema", ["host": "localhost:8080"], from: remote)
      #expect(read.status == 200)
      let local = try await fixture.send(.get, "/v1/schema", ["host": "whatever"], from: .local)
      #expect(local.status == 200)
    }
  }

  private static let page = "https://app.example.org"
  private static let policy = CORSPolicy(origins: .these([page]))

  @Test func `without a policy no page is given leave`() async throws {
    try await Fixture.with { fixture in
      let preflight = try await fixture.send(
        .options, "/v1/schema", ["origin": Self.page, "access-control-request-method": "PUT"])
      #expect(preflight.fields == ["allow": "GET, HEAD, PUT, OPTIONS"])
      let read = try await fixture.send(.get, "/v1/schema", ["origin": Self.page])
      #expect(!read.fields.keys.contains { $0.hasPrefix("access-control") })
    }
  }

  @Test func `a page that is allowed learns what it may do, and reads every answer`() async throws {
    try await Fixture.with(cors: Self.policy) { fixture in
      try await fixture.populate()
      let asked = ["origin": Self.page, "access-control-request-method": "PATCH"]
      let preflight = try await fixture.send(.options, "/v1/collections/Country/JP", asked)
      #expect(preflight.status == 204)
      #expect(preflight.fields["access-control-allow-origin"] == Self.page)
      #expect(
        preflight.fields["access-control-allow-methods"] == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
      let targets: [(HTTP.Method, String, [String: String])] = [
        (.get, "/v1/collections/Country/JP", [:]), (.get, "/nowhere", [:]), (.get, "/livez", [:]),
        (.post, "/v1/collections/Country", [:]), (.post, "/livez", [:]),
        // Streamed.
        (.get, "/v1/collections/City?limit=2", ["accept": "application/x-ndjson"]),
      ]
      for (method, target, fields) in targets {
        let answer = try await fixture.send(method, target, fields.merging(["origin": Self.page]) { $1 })
        #expect(answer.fields["access-control-allow-origin"] == Self.page, "\(target)")
        #expect(answer.fields["access-control-expose-headers"]?.contains("etag") == true)
        #expect(answer.fields["vary"]?.contains("origin") == true)
        let other = try await fixture.send(
          method, target, fields.merging(["origin": "https://b.test"]) { $1 })
        #expect(!other.fields.keys.contains { $0.hasPrefix("access-control") })
        #expect(other.fields["vary"]?.contains("origin") == true)
      }
    }
  }
}
