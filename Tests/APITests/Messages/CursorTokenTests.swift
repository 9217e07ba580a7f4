import GatehouseBSON
import GatehouseCrypto
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

@Suite struct CursorTokenTests {
  private static let token = CursorToken(objectType: "City", QueryParameters())

  private static let values: [Mixed] = [
    .null, .bool(true), .bool(false), .int(.min), .int(.max), .float(1.5), .float(-.infinity), .double(1.5),
    .double(-0.0),
    .decimal128(Decimal128(high: 1, low: 2)), .string(""), .string("é\0\"\u{1F600}"), .data([]),
    .data([0, 255]),
    .date(Date(seconds: -1, nanoseconds: 999_999_999)), .objectID(ObjectID(high: 1, low: 2)),
    .uuid(UUID(high: 3, low: 4)), .link(ObjectLink(objectType: "A", key: ObjectKey(5))),
    .list([.int(1), .list([]), .float(0)]),
    .dictionary([Mixed.Entry(key: "a", value: .null), Mixed.Entry(key: "f", value: .float(1))]),
  ]

  @Test(arguments: values)
  func `a value of any type comes back`(value: Mixed) throws {
    let cursor = Cursor(values: [value], key: ObjectKey(7))
    #expect(try Self.token.cursor(from: Self.token.text(of: cursor)) == cursor)
  }

  @Test func `a token needs no encoding in a URL`() {
    let text = Self.token.text(of: Cursor(values: Self.values, key: ObjectKey(.max)))
    #expect(text.percentEncoded == text)
  }

  @Test func `the token is that of earlier processes`() {
    // Nothing in it may depend on the process, or pages would end at a restart.
    #expect(
      Self.token.text(of: Cursor(values: [.int(1)], key: ObjectKey(2)))
        == "gvgu6eldes0uAAAAEnEAWhS0yZFvojcEdgAQAAAAEjAAAQAAAAAAAAAAEmsAAgAAAAAAAAAA")
  }

  @Test func `a token with a byte changed or missing is refused`() {
    let text = Array(Self.token.text(of: Cursor(values: Self.values, key: ObjectKey(7))).utf8)
    for index in text.indices {
      var changed = text
      changed[index] = changed[index] == UInt8(ascii: "B") ? UInt8(ascii: "C") : UInt8(ascii: "B")
      let tampered = String(decoding: changed, as: UTF8.self)
      #expect(throws: APIError.invalidCursor) { try Self.token.cursor(from: tampered) }
    }
    for length in 0..<text.count {
      let cut = String(decoding: text.prefix(length), as: UTF8.self)
      #expect(throws: APIError.invalidCursor) { try Self.token.cursor(from: cut) }
    }
  }

  @Test func `a sealed token is for whoever has the secret, and shows nothing`() throws {
    let seals = [UInt8(1), 2].map { MessageSeal(key: [UInt8](repeating: $0, count: MessageSeal.keySize)) }
    let tokens = seals.map { CursorToken(objectType: "City", QueryParameters(), seal: $0) }
    let cursor = Cursor(values: [.string("value")], key: ObjectKey(7))
    let text = tokens[0].text(of: cursor)
    #expect(try tokens[0].cursor(from: text) == cursor)
    let bytes = try #require(Base64.decode(text, as: .urlSafe))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("value"))
    for token in [tokens[1], Self.token] {
      #expect(throws: APIError.invalidCursor) { try token.cursor(from: text) }
    }
    #expect(throws: APIError.invalidCursor) { try tokens[0].cursor(from: Self.token.text(of: cursor)) }
    let other = CursorToken(objectType: "Country", QueryParameters(), seal: seals[0])
    #expect(throws: APIError.foreignCursor) { try other.cursor(from: text) }
  }

  @Test func `what decides on the order decides on the cursor, and nothing else`() throws {
    func token(_ objectType: String, _ parameters: [(String, String)]) throws -> CursorToken {
      let known = Parameters.Name.allCases
      let page = PageLimit(.json, RequestLimits())
      return CursorToken(
        objectType: objectType,
        try QueryParameters(Parameters(parameters.map { ($0, $1) }, known: known), page))
    }
    let base = try token("A", [("filter", "a"), ("sort", "b")])
    let same = try token("A", [("sort", "b"), ("limit", "3"), ("fields", "x"), ("filter", "a")])
    let place = Cursor(values: [], key: ObjectKey(0))
    #expect(same.text(of: place) == base.text(of: place))
    let others = try [
      token("B", [("filter", "a"), ("sort", "b")]), token("A", [("filter", "ab"), ("sort", "")]),
      token("A", [("filter", "a"), ("distinct", "b")]), token("A", [("filter", "a")]),
      token("A", [("filter", "a"), ("sort", "b"), ("args", "[1]")]),
      token("A", [("filter", "a"), ("sort", "b"), ("sectionBy", "b")]),
    ]
    let text = base.text(of: Cursor(values: [], key: ObjectKey(0)))
    for other in others {
      #expect(throws: APIError.foreignCursor) { try other.cursor(from: text) }
    }
  }

  @Test func `no text makes the reader fail otherwise than by refusing`() {
    var random = SeededGenerator(seed: 42)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // With the right checksum, so that what is behind it is read.
      var hash = FNV1a()
      hash.combine(bytes)
      let checksum = (0..<8).map { UInt8(truncatingIfNeeded: hash.value >> ($0 * 8)) }
      #expect(throws: APIError.invalidCursor) {
        try Self.token.cursor(from: Base64.encode(checksum + bytes, as: .urlSafe))
      }
    }
  }

  @Test(arguments: [
    ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
  ])
  func `FNV-1a is that of its authors`(text: String, value: UInt64) {
    var hash = FNV1a()
    hash.combine(text)
    #expect(hash.value == value)
  }
}
