import GatehouseSeeded
import Testing

@testable import GatehouseHTTP

struct ProxyTests {
  private static let proxies = TrustedProxies(["10.0.0.0/8", "2001:db8::/32"].compactMap(Network.init))
  private static let peer = PeerAddress.ipv4(0x0a00_0001, port: 1)

  private func client(_ lines: (String, String)...) -> String {
    var fields = Fields()
    for (name, value) in lines { fields.append(Fields.Line(name: name, value: value)) }
    return Self.proxies.client(of: fields, from: Self.peer).description
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1:0"),
    ("6.6.6.6, 192.0.2.1", "192.0.2.1:0"),
    ("6.6.6.6, 192.0.2.1, 10.1.1.1 ,10.2.2.2", "192.0.2.1:0"),
    ("10.1.1.1, 10.2.2.2", "10.1.1.1:0"),
    ("192.0.2.1:4711", "192.0.2.1:4711"),
    ("2001:db9::1", "[2001:db9::1]:0"),
    ("[2001:db9::1]:80", "[2001:db9::1]:80"),
    ("::ffff:192.0.2.1", "192.0.2.1:0"),
    ("6.6.6.6, 2001:db8::7", "6.6.6.6:0"),
    ("192.0.2.1,, ", "192.0.2.1:0"),
    // Nobody knows: the last proxy that is believed counts.
    ("6.6.6.6, unknown", "10.0.0.1:1"),
    ("6.6.6.6, unknown, 10.1.1.1", "10.1.1.1:0"),
    ("192.0.2.01", "10.0.0.1:1"), ("192.0.2", "10.0.0.1:1"), ("192.0.2.256", "10.0.0.1:1"),
    ("192.0.2.1:99999", "10.0.0.1:1"), ("1:2:3", "10.0.0.1:1"), ("fe80::1%eth0", "10.0.0.1:1"),
    ("1.2.3.4::", "10.0.0.1:1"), ("1::2::3", "10.0.0.1:1"), ("1:2:3:4:5:6:7::8", "10.0.0.1:1"),
    ("local", "10.0.0.1:1"), ("", "10.0.0.1:1"),
  ])
  func `of X-Forwarded-For counts the right-most address that is no proxy`(value: String, address: String) {
    #expect(client(("x-forwarded-for", value)) == address)
  }

  @Test(arguments: [
    ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60:0"),
    ("For=\"192.0.2.60:4711\"", "192.0.2.60:4711"),
    ("for=6.6.6.6, for=192.0.2.43 , for=10.1.1.1", "192.0.2.43:0"),
    ("for=\"[2001:db9:cafe::17]:4711\"", "[2001:db9:cafe::17]:4711"),
    ("by=6.6.6.6; for=\"[2001:db9::1]:_port\"", "[2001:db9::1]:0"),
    ("for=\"192.0\\.2.43\"", "192.0.2.43:0"),
    ("for=[2001:db9::1]", "[2001:db9::1]:0"),
    ("for=192.0.2.43,", "192.0.2.43:0"),
    ("host=\"a, for=6.6.6.6\";for=192.0.2.43", "192.0.2.43:0"),
    ("for=6.6.6.6, for=unknown", "10.0.0.1:1"),
    ("for=6.6.6.6, for=_hidden, for=10.1.1.1", "10.1.1.1:0"),
    ("for=6.6.6.6, by=192.0.2.1", "10.0.0.1:1"),
    // A client's quotation mark cannot make a part of what the proxy adds its own.
    ("for=6.6.6.6;x=\", for=192.0.2.1", "10.0.0.1:1"),
    ("for=6.6.6.6;x=\", for=\"[2001:db9::1]\"", "10.0.0.1:1"),
    ("for=6.6.6.6;for=192.0.2.1", "10.0.0.1:1"),
    ("for", "10.0.0.1:1"), ("for=", "10.0.0.1:1"), ("=1", "10.0.0.1:1"), ("for=\"6.6.6.6\\", "10.0.0.1:1"),
  ])
  func `Forwarded is read as RFC 7239 has it`(value: String, address: String) {
    #expect(client(("forwarded", value)) == address)
  }

  @Test func `lines of one name are one list, and two fields that differ are none`() {
    #expect(client(("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "192.0.2.1")) == "192.0.2.1:0")
    #expect(client(("forwarded", "for=192.0.2.1"), ("x-forwarded-for", "192.0.2.1")) == "192.0.2.1:0")
    #expect(client(("forwarded", "for=6.6.6.6"), ("x-forwarded-for", "192.0.2.1")) == "10.0.0.1:1")
    #expect(client(("x-real-ip", "6.6.6.6")) == "10.0.0.1:1")
  }

  @Test func `networks have the addresses that share their first bits`() {
    let contains = { (network: String, node: String) in
      Network(network).flatMap { network in
        PeerAddress(node: Array(node.utf8)[...]).map { network.contains($0) }
      }
    }
    #expect(contains("10.0.0.0/8", "10.255.255.255") == true)
    #expect(contains("10.0.0.0/8", "11.0.0.0") == false)
    #expect(contains("192.0.2.1", "192.0.2.1:80") == true)
    #expect(contains("192.0.2.1/32", "192.0.2.2") == false)
    #expect(contains("0.0.0.0/0", "192.0.2.1") == true)
    #expect(contains("0.0.0.0/0", "::1") == false)
    #expect(contains("::/0", "::1") == true)
    #expect(contains("::/0", "192.0.2.1") == false)
    #expect(contains("fd00::/8", "fdff::1") == true)
    #expect(contains("::1", "::2") == false)
    #expect(contains("10.0.0.0/8", "::ffff:10.0.0.1") == true)
    for text in [
      "", "10.0.0.1/8", "10.0.0.0/33", "::/129", "10.0.0.0/", "/8", "10/8", "::1/0", "a", "10.0.0.0/08",
    ] {
      #expect(Network(text) == nil, "\(text)")
    }
    #expect(!TrustedProxies(includesLocal: true).trusts(.ipv4(1, port: 1)))
    #expect(TrustedProxies(includesLocal: true).trusts(.local) && !Self.proxies.trusts(.local))
  }

  @Test(
    arguments: [
      (
        "PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\nGET",
        .complete(client: .ipv4(0xc000_0201, port: 56_324), length: 42)
      ),
      (
        "PROXY TCP6 2001:db9::1 ::1 1 2\r\n",
        .complete(client: .ipv6(0x2001_0db9 << 32, 1, port: 1), length: 32)
      ),
      ("PROXY UNKNOWN\r\n", .complete(client: nil, length: 15)),
      ("PROXY UNKNOWN ffff:: 1 whatever\r\n", .complete(client: nil, length: 33)),
      ("", .needsBytes), ("PRO", .needsBytes), ("PROXY TCP4 192.0.2.1 192", .needsBytes),
      ("GET / HTTP/1.1\r\n", .malformed), ("PROXI", .malformed), ("PROXY \n", .malformed),
      ("PROXY \r\n", .malformed),
      ("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n", .malformed),
      ("PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n", .malformed),
      ("PROXY TCP4 192.0.2.1 192.0.2.2 1 65536\r\n", .malformed), ("PROXY TCP4 ::1 ::1 1 2\r\n", .malformed),
      ("PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n", .malformed),
      ("PROXY UNKNOWN" + String(repeating: "x", count: 94), .malformed),
    ] as [(String, ProxyHeader)])
  func `a PROXY header of version 1 is one short line`(text: String, header: ProxyHeader) {
    #expect(ProxyHeader(Array(text.utf8)) == header)
  }

  private static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  private static let ipv4: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 2, 0xdc, 0x04, 1, 187]

  @Test func `a PROXY header of version 2 has its length before it`() {
    let header = Self.signature + [0x21, 0x11, 0, 15] + Self.ipv4 + [4, 0, 0]
    for count in 0..<header.count { #expect(ProxyHeader(Array(header.prefix(count))) == .needsBytes) }
    #expect(ProxyHeader(header + [1]) == .complete(client: .ipv4(0xc000_0201, port: 56_324), length: 31))
    let long =
      Self.signature + [0x21, 0x21, 0, 36] + [0x20, 1, 0x0d, 0xb9] + Array(repeating: 0, count: 28) + [
        0, 7, 0, 9,
      ]
    #expect(ProxyHeader(long) == .complete(client: .ipv6(0x2001_0db9 << 32, 0, port: 7), length: 52))
    #expect(
      ProxyHeader(Self.signature + [0x20, 0x11, 0, 12] + Self.ipv4) == .complete(client: nil, length: 28))
    #expect(ProxyHeader(Self.signature + [0x21, 0, 0, 0]) == .complete(client: nil, length: 16))
    for start in [
      [0x21, 0x11, 0, 11], [0x22, 0x11, 0, 12], [0x11, 0x11, 0, 12], [0x21, 0x21, 0, 12],
      [0x21, 0x11, 0x10, 0],
    ] {
      #expect(ProxyHeader(Self.signature + start.map { UInt8($0) } + Self.ipv4) == .malformed, "\(start)")
    }
  }

  /// Whether some part of the value, without the backslashes of quoted strings, is that address.
  private static func contains(_ value: String, _ address: PeerAddress) -> Bool {
    let bytes = value.utf8.filter { $0 != UInt8(ascii: "\\") }
    return bytes.indices.contains { start in
      (start..<bytes.count).contains { PeerAddress(node: bytes[start...$0]) == address }
    }
  }

  @Test func `whatever stands in the fields, the client is the peer or an address that is written there`() {
    var random = SeededGenerator(seed: 7)
    let pieces = [
      "for=", "192.0.2.1", "10.1.1.1", "6.6.6.6:1", "\"", "\\", ",", ";", " ", "[2001:db9::1]", "unknown",
      "_x", "=",
      "by", "é", "::", "1:2", ":", "]", "[",
    ]
    for _ in 0..<2_000 {
      let value = (0..<Int.random(in: 0...7, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }
      .joined()
      let name = Bool.random(using: &random) ? "forwarded" : "x-forwarded-for"
      let fields = Fields([Fields.Line(name: name, value: value)])
      let found = Self.proxies.client(of: fields, from: Self.peer)
      #expect(found == Self.peer || Self.contains(value, found), "\(value) \(found)")
    }
    for _ in 0..<20_000 {
      var bytes = Self.signature + [0x21, 0x11, 0, 12] + Self.ipv4
      if Bool.random(using: &random) { bytes = Array("PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n".utf8) }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if case .complete(_, let length) = ProxyHeader(bytes) { #expect(length <= bytes.count) }
    }
  }
}
