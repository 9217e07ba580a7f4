import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Synchronization
import Testing

@testable import GatehouseAPI

/// Requests that a page of another origin can make a browser send: the Fetch standard's "simple" ones go without
/// asking, and all others ask first.
@Suite struct CrossSiteTests {
  /// The content types of simple requests (Fetch §2.2.2), and none.
  private static let simple = [
    nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
    "text/plain;charset=UTF-8", "TEXT/PLAIN; x=application/json",
  ]
  private static let contents = ["", "{}", #"[{"code":"XX","name":"X"}]"#, #"{"operations":[]}"#, "a=b"]

  /// A function that writes that it was called.
  private static func functions(_ calls: Calls) -> FunctionHost {
    let functions = FunctionHost()
    functions.register("f") { _ in
      calls.count.add(1, ordering: .relaxed)
      return .null
    }
    return functions
  }

  private final class Calls: Sendable {
    let count = Atomic(0)
  }

  /// The route's path, with parts that there are where it has braces.
  private static func path(_ route: Endpoint) -> String {
    [
      "{class}": "Country", "{id}": "JP", "{path}": "neighbours", "{name}": "f", "{app}": "a", "{key}": "k",
      "{provider}": "anon-user", "{email}": "a@b.example", "{user}": "u",
    ]
    .reduce(route.template) { $0.replacing($1.key, with: $1.value) }
  }

  @Test func `no POST that a page can send without asking writes anything`() async throws {
    let calls = Calls()
    try await Fixture.with(functions: Self.functions(calls)) { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      for route in Endpoint.all where route.method == .post && route != .appRefresh && !route.request.isOpen {
        let path = Self.path(route)
        for type in Self.simple {
          for content in Self.contents {
            let fields = type.map { ["content-type": $0] } ?? [:]
            let answer = try await fixture.send(.post, path, fields, Array(content.utf8))
            let reason = Comment(rawValue: "\(path) \(type ?? "none") \(content): \(answer.text)")
            #expect(answer.status == 415, reason)
          }
        }
      }
      #expect(try await fixture.everything() == before)
      #expect(calls.count.load(ordering: .relaxed) == 0)
    }
  }

  @Test func `what reads changes nothing, whatever else it says`() async throws {
    let calls = Calls()
    try await Fixture.with(functions: Self.functions(calls)) { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      // {"name":"f"}
      let call = "?baas_request=eyJuYW1lIjoiZiJ9"
      for route in Endpoint.all where route.method == .get {
        let path = Self.path(route)
        for target in [path, path + "?_method=DELETE", path + call, path + call + "&baas_at=a.b.c"] {
          for method in [Method.get, .head] {
            let fields = ["content-type": "application/json", "x-http-method-override": "DELETE"]
            _ = try await fixture.send(method, target, fields, Array("{}".utf8))
          }
        }
      }
      #expect(try await fixture.everything() == before)
      #expect(calls.count.load(ordering: .relaxed) == 0)
    }
  }

  /// The fields by which browsers mark a page of another origin than the server's, `localhost:8080`.
  private static let foreign: [[String: String]] = [
    ["origin": "https://attacker.example"], ["origin": "null"], ["origin": "http://localhost:3000"],
    ["origin": "https://localhost:8080"], ["origin": "http://127.0.0.1:8080"],
    ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
    ["sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"],
    ["sec-fetch-site": "same-origin", "origin": "http://attacker.example:8080"],
  ]

  @Test func `without keys no route answers a page of another origin`() async throws {
    let calls = Calls()
    try await Fixture.with(functions: Self.functions(calls)) { fixture in
      try await fixture.populate()
      let before = try await fixture.everything()
      let unknown = Endpoint("nowhere", .get("/nowhere"), requires: .nothing) { _ in Response(status: .ok)
      }
      for route in Endpoint.all + [unknown] {
        for method in [route.method, .options, .head] {
          for fields in Self.foreign {
            let fields = fields.merging(["host": "localhost:8080", "content-type": "application/json"]) { $1 }
            let answer = try await fixture.send(method, Self.path(route), fields, Array("[]".utf8))
            let isAppServices =
              route.template.hasPrefix(Endpoint.appServicesPath) || route.template.hasPrefix("/app/")
            #expect(
              answer.status == 403 && (isAppServices || answer.code == "cross_origin"), "\(route) \(fields)")
            #expect(!answer.text.contains("attacker"))
          }
        }
      }
      #expect(try await fixture.everything() == before)
      #expect(calls.count.load(ordering: .relaxed) == 0)
    }
  }

  @Test(arguments: [
    [:], ["origin": "http://localhost:8080"], ["sec-fetch-site": "none"], ["sec-fetch-site": "same-origin"],
    ["origin": "http://localhost:8080", "sec-fetch-site": "same-origin"],
  ])
  func `the server's own pages, people and programs are answered`(fields: [String: String]) async throws {
    try await Fixture.with { fixture in
      let fields = fields.merging(["host": "localhost:8080"]) { $1 }
      let answer = try await fixture.send(.get, "/v1/collections/Country", fields)
      #expect(answer.status == 200)
    }
  }

  @Test func `where callers need a key, pages of other origins do as well, and no more`() async throws {
    try await Fixture.with { fixture in
      let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
      for fields in Self.foreign {
        #expect(try await fixture.send(.get, "/v1/schema", fields).status == 401)
        let known = fields.merging(["authorization": "Bearer \(key.text)"]) { $1 }
        #expect(try await fixture.send(.get, "/v1/schema", known).status == 200)
      }
    }
  }

  @Test func `whatever else writes has a method that browsers ask about first`() {
    let simple: Set<GatehouseHTTP.Method> = [.get, .head, .post]
    for route in Endpoint.all where !simple.contains(route.method) {
      #expect([.put, .patch, .delete, .query].contains(route.method), "\(route.template)")
    }
    // A refresh takes a token that no page has, and has no content. HTTPS endpoints take what senders of webhooks send: a page
    // of another origin is refused where nothing else guards them.
    for route in Endpoint.all where route.method == .post && route != .appRefresh && !route.request.isOpen {
      #expect(!route.reads.isEmpty, "\(route.template)")
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
      #expect((preflight.status, preflight.code) == (403, "cross_origin"))
      let read = try await fixture.send(.get, "/v1/schema", ["origin": Self.page])
      #expect((read.status, read.code) == (403, "cross_origin"))
      for fields in [preflight.fields, read.fields] {
        #expect(!fields.keys.contains { $0.hasPrefix("access-control") })
      }
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
      let targets: [(GatehouseHTTP.Method, String, [String: String])] = [
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
