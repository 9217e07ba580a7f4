import GatehouseHTTP
import Testing

private func request(_ method: Method, _ fields: [(String, String)]) -> Request {
  Request(
    method: method, target: Target(path: "/"), fields: Fields(fields.map { .init(name: $0.0, value: $0.1) }))
}

@Test(arguments: [
  ("localhost", true), ("LOCALHOST:8080", true), ("a.localhost:1", true),
  ("127.0.0.1", true), ("127.9.8.7:80", true), ("[::1]:80", true), ("[::1]", true),
  ("10.0.0.1", false), ("192.168.1.2:8080", false), ("[::2]", false),
  ("gatehouse:8080", false), ("notlocalhost", false), ("example.org", false),
  ("localhost.example.org", false), ("127.0.0.1.example.org", false),
  ("127.1", false), ("127.0.0.256", false), ("127.0.0.1.", false),
  ("localhost.", false), (".localhost", false),
])
func `only loopback names pass a loopback policy`(host: String, isLoopback: Bool) {
  let fields = Fields([.init(name: "accept", value: "*/*"), .init(name: "host", value: host)])
  #expect(HostPolicy(.loopback).allows(fields) == isLoopback)
  #expect(HostPolicy(.any).allows(fields))
}

@Test(arguments: ["example.org", "EXAMPLE.org:8080"])
func `a name that is listed passes, and no other below or above it`(host: String) {
  let policy = HostPolicy(.loopback, names: ["example.org"])
  #expect(policy.allows(Fields([.init(name: "host", value: host)])))
  #expect(policy.allows(Fields([.init(name: "host", value: "localhost")])))
  #expect(!policy.allows(Fields([.init(name: "host", value: "a.\(host)")])))
  #expect(!policy.allows(Fields([.init(name: "host", value: "org")])))
}

@Test func `without a host only a policy of any host passes`() {
  #expect(HostPolicy(.any).allows(Fields()))
  #expect(!HostPolicy(.loopback).allows(Fields()))
  #expect(!HostPolicy(.loopback).allows(Fields([.init(name: "host", value: "")])))
}

private let policy = CORSPolicy(
  origins: .these(["https://a.test"]), allowsCredentials: true, allowedFields: ["content-type"],
  exposedFields: ["etag"], maximumAge: 5)

private func lines(_ fields: Fields?) -> [String]? {
  fields?.lines.map { "\($0.name): \($0.value)" }
}

@Test func `a preflight of an allowed page is answered with what it may do`() {
  let asked = request(.options, [("origin", "https://a.test"), ("access-control-request-method", "PUT")])
  #expect(
    lines(policy.preflight(asked, methods: "GET, PUT")) == [
      "access-control-allow-origin: https://a.test", "access-control-allow-credentials: true",
      "access-control-allow-methods: GET, PUT", "access-control-allow-headers: content-type",
      "access-control-max-age: 5",
      "vary: origin, access-control-request-method, access-control-request-headers",
    ])
}

@Test(arguments: ["https://b.test", "https://a.test.b.test", "null", "http://a.test"])
func `a preflight of another page permits nothing`(origin: String) {
  let asked = request(.options, [("origin", origin), ("access-control-request-method", "PUT")])
  #expect(
    lines(policy.preflight(asked, methods: "PUT")) == [
      "vary: origin, access-control-request-method, access-control-request-headers"
    ])
}

@Test func `other requests are no preflights`() {
  #expect(policy.preflight(request(.options, [("origin", "https://a.test")]), methods: "") == nil)
  #expect(
    policy.preflight(
      request(.get, [("origin", "https://a.test"), ("access-control-request-method", "PUT")]), methods: "")
      == nil)
}

@Test func `a response varies by origin even if no page asked`() {
  var response = Response(status: .ok)
  policy.apply(to: &response, for: request(.get, []))
  #expect(lines(response.fields) == ["vary: origin"])
  response = Response(status: .ok)
  policy.apply(to: &response, for: request(.get, [("origin", "https://a.test")]))
  #expect(
    lines(response.fields) == [
      "access-control-allow-origin: https://a.test", "access-control-allow-credentials: true",
      "access-control-expose-headers: etag", "vary: origin",
    ])
}

@Test func `a policy for everybody never sends credentials`() {
  let open = CORSPolicy(origins: .any, allowsCredentials: true, exposedFields: [])
  var response = Response(status: .ok)
  open.apply(to: &response, for: request(.get, [("origin", "https://b.test")]))
  #expect(lines(response.fields) == ["access-control-allow-origin: *"])
}

@Test func `a preflight is answered with the methods that the resource has`() {
  let asked = request(.options, [("origin", "https://a.test"), ("access-control-request-method", "PUT")])
  var response = Response(status: .noContent, fields: Fields([.init(name: "allow", value: "GET, PUT")]))
  policy.apply(to: &response, for: asked)
  #expect(
    lines(response.fields) == [
      "allow: GET, PUT", "access-control-allow-origin: https://a.test",
      "access-control-allow-credentials: true", "access-control-allow-methods: GET, PUT",
      "access-control-allow-headers: content-type", "access-control-max-age: 5",
      "vary: origin, access-control-request-method, access-control-request-headers",
    ])
}

@Test func `a page that is allowed may read why its request broke a rule`() {
  let head = Array("GET /x HTTP/1.1\r\nHost: a\r\nORIGIN: https://b.test \r\nbad header: 1\r\n".utf8)
  let permission = ["access-control-allow-origin: https://b.test", "vary: origin"]
  let cases: [(CORSPolicy.Origins, [UInt8], [String])] = [
    (.any, [], ["access-control-allow-origin: *"]),
    // The only one is named whoever asks: the browser compares.
    (.these(["https://b.test"]), [], permission),
    (.these(["https://a.test", "https://b.test"]), head, permission),
    (.these(["https://a.test", "https://c.test"]), head, ["vary: origin"]),
    (.these(["https://a.test", "https://b.test"]), Array("GET /".utf8), ["vary: origin"]),
    (
      .these(["https://a.test", "https://b.test"]), Array("origin:https://b.test\norigin: x\n".utf8),
      permission
    ),
  ]
  for (origins, bytes, expected) in cases {
    let policy = CORSPolicy(origins: origins, exposedFields: [])
    #expect(bytes.withUnsafeBytes { lines(policy.errorFields(for: $0)) } == expected)
  }
}

@Test func `what may be read with credentials may be when it broke a rule`() {
  let none = UnsafeRawBufferPointer(start: nil, count: 0)
  #expect(
    lines(policy.errorFields(for: none)) == [
      "access-control-allow-origin: https://a.test", "access-control-allow-credentials: true",
      "access-control-expose-headers: etag", "vary: origin",
    ])
}

/// A request of a browser to `http://localhost:8080`, or with TLS, as it was addressed.
private func isCrossOrigin(
  _ fields: [(String, String)], host: String? = "localhost:8080", isSecure: Bool = false,
  allowed: CORSPolicy.Origins? = nil
) -> Bool {
  var request = request(.get, fields + (host.map { [("host", $0)] } ?? []))
  request.isSecure = isSecure
  return request.isCrossOrigin(allowed: allowed)
}

@Test(arguments: [
  ("http://localhost:8080", "localhost:8080", false, false),
  ("http://localhost:8080", "LOCALHOST:8080", false, false),
  ("http://localhost", "localhost", false, false), ("http://localhost", "localhost:80", false, false),
  ("https://localhost", "localhost:443", true, false), ("https://localhost:80", "localhost:80", true, false),
  ("http://[::1]:8080", "[::1]:8080", false, false),
  ("https://localhost", "localhost", false, true), ("http://localhost", "localhost", true, true),
  ("http://localhost:3000", "localhost:8080", false, true),
  ("http://localhost", "localhost:8080", false, true),
  ("http://127.0.0.1:8080", "localhost:8080", false, true),
  ("http://a.localhost:8080", "localhost:8080", false, true),
  ("http://localhost:8080.attacker.example", "localhost:8080", false, true),
  ("null", "localhost:8080", false, true), ("", "localhost:8080", false, true),
  ("http://localhost:8080/", "localhost:8080", false, true),
  ("HTTP://localhost:8080", "localhost:8080", false, true),
])
func `an origin is the server's own as scheme, host and port`(
  origin: String, host: String, isSecure: Bool, isCross: Bool
) {
  #expect(isCrossOrigin([("origin", origin)], host: host, isSecure: isSecure) == isCross)
  // One is not vouched for by another.
  #expect(isCrossOrigin([("origin", origin), ("origin", origin)], host: host, isSecure: isSecure))
}

@Test(arguments: [
  ("same-origin", false), ("none", false), ("same-site", true), ("cross-site", true), ("", true),
  ("other", true),
])
func `what a browser says of a page that it does not name counts`(site: String, isCross: Bool) {
  #expect(isCrossOrigin([("sec-fetch-site", site)]) == isCross)
  #expect(isCrossOrigin([("sec-fetch-site", site), ("origin", "http://localhost:8080")]) == isCross)
  #expect(isCrossOrigin([("sec-fetch-site", site), ("origin", "http://localhost:1")]))
  #expect(!isCrossOrigin([("sec-fetch-site", site)], allowed: .any))
  #expect(isCrossOrigin([("sec-fetch-site", site)], allowed: .these(["http://localhost:1"])) == isCross)
  #expect(
    !isCrossOrigin(
      [("sec-fetch-site", site), ("origin", "http://localhost:1")], allowed: .these(["http://localhost:1"])))
}

@Test func `a request that names no host has no origin of its own`() {
  #expect(isCrossOrigin([("origin", "http://localhost")], host: nil))
  #expect(!isCrossOrigin([], host: nil))
}
