import GatehouseHTTP
import Testing

@Test(arguments: [
  ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("/a%2Fb/c", ["a/b", "c"]),
  ("/%C3%A9+", ["é+"]), ("/..", [".."]), ("*", []),
])
func `a path is split before it is decoded`(path: String, segments: [String]) throws {
  #expect(try Target(path: path).segments() == segments)
}

@Test(arguments: [
  ("/a%", PercentEncodingError.incompleteTriplet(offset: 1)), ("/%4", .incompleteTriplet(offset: 0)),
  ("/%0g", .incompleteTriplet(offset: 0)), ("/ab%00", .null(offset: 2)), ("/%80", .invalidUTF8),
  ("/%C0%AF", .invalidUTF8), ("/%F4%90%80%80", .invalidUTF8),
])
func `what stands for no text is refused`(path: String, error: PercentEncodingError) {
  #expect(throws: error) { try Target(path: path).segments() }
}

@Test(arguments: [
  (nil, []), ("", []), ("a=1&b=2", ["a=1", "b=2"]), ("a&&b=", ["a=", "b="]), ("a+b=%2B+", ["a b=+ "]),
  ("=x", ["=x"]), ("a=b=c", ["a=b=c"]), ("%26=%3d", ["&=="]),
])
func `a query is split into parameters`(query: String?, parameters: [String]) throws {
  let target = Target(path: "/", query: query)
  #expect(try target.parameters().map { "\($0.name)=\($0.value)" } == parameters)
}

@Test func `fields are found by name, in order, whatever their case was`() {
  var fields = Fields([.init(name: "accept", value: "a"), .init(name: "x", value: "")])
  fields.append(Fields.Line(name: "Accept", value: "b"))
  #expect(fields["accept"] == "a, b")
  #expect(fields["x"] == "")
  #expect(fields["y"] == nil)
  #expect(fields.lines.map(\.name) == ["accept", "x", "accept"])
}

@Test func `a field is found among many, and none that is not there`() {
  let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(UnicodeScalar($0)) }
  let names = letters.flatMap { letter in (1...20).map { String(repeating: letter, count: $0) } }
  for parity in [0, 1] {
    var fields = Fields()
    var lines: [String: String] = [:]
    for (place, name) in names.enumerated() where place % 2 == parity || place < 3 {
      fields.append(Fields.Line(name: name, value: "\(place)"))
      lines[name] = "\(place)"
      for name in names.prefix(60) { #expect(fields[name] == lines[name]) }
    }
    for name in names {
      #expect(fields[name] == lines[name])
      #expect(fields.contains(name) == (lines[name] != nil))
    }
  }
}

@Test(arguments: [
  (PeerAddress.ipv4(0x0102_0304, port: 5), "1.2.3.4:5"), (.ipv6(0, 1, port: 2), "[::1]:2"),
  (.ipv6(0x2001_0db8_0000_0000, 0x0000_00ff_0000_0001, port: 2), "[2001:db8::ff:0:1]:2"),
  (.ipv6(0x0001_0002_0003_0004, 0x0005_0006_0007_0008, port: 0), "[1:2:3:4:5:6:7:8]:0"), (.local, "local"),
])
func `a peer has its address as text`(peer: PeerAddress, text: String) {
  #expect(peer.description == text)
}

@Test(arguments: [
  ("a=1&ticket=x&b=2", ["x"], "a=1&b=2"), ("ticket=x", ["x"], nil), ("ticket=x&ticket=&a", ["x", ""], "a"),
  ("filter=ticket=x", [], "filter=ticket=x"), ("tickets=x&ticket", [], "tickets=x&ticket"), (nil, [], nil),
])
func `parameters are taken out of a query`(query: String?, values: [String], rest: String?) {
  var target = Target(path: "/a", query: query)
  #expect(target.hasParameter("ticket") == !values.isEmpty)
  #expect(target.removeParameters("ticket") == values)
  #expect(target == Target(path: "/a", query: rest))
}
