import GatehouseBSON
import GatehouseHTTP
import GatehouseQuery
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Cursors and paths that nobody gave a client: each is refused, or leads somewhere, and none is our mistake.
@Suite struct ForgeryTests {
  private static let schema = """
    [{"name":"N","primaryKey":"id","properties":{"id":"int","s":"string?","n":"N?","l":"N[]","v":"int[]","m":"string{}",\
    "t":"string<>","x":"mixed","e":"E?","nm":"N{}","k":"N[]",\
    "o":"N{}",\
    "back":{"type":"linkingObjects","objectType":"N","property":"n"}}},\
    {"name":"E","embedded":true,"properties":{"n":"N?"}}]
    """
  private static let codes: Set = [
    "invalid_cursor", "foreign_cursor", "cursor_expired", "invalid_query", "invalid_parameter",
    "unknown_property",
    "contradictory_parameters", "path_too_deep", "no_parts", "null_link", "entry_not_found",
    "index_out_of_range",
    "path_not_found", "invalid_index", "index_into_set", "not_acceptable",
  ]

  private static func with(_ body: (Fixture) async throws -> Void) async throws {
    try await Fixture.with(schema) { fixture in
      let objects = (1...5).map { number in
        #"{"id":\#(number),"s":"s\#(number)","n":\#(number % 5 + 1),"l":[1,2,3],"v":[1,2,3],"m":{"a":"x","b":"y","c":"z"},"#
          + #""t":["a","b","c"],"x":{"a":[1,2,3],"b":{"c":1}},"e":{"n":1},"nm":{"a":1,"b":2},"#
          // One way leads on from each: the ways through more would be too many to follow.
          + #""k":[\#(number % 5 + 1)],"o":{"a":\#(number % 5 + 1)}}"#
      }
      let made = try await fixture.send(
        .post, "/v1/collections/N", json: "[\(objects.joined(separator: ","))]")
      try #require(made.status == 201, "\(made.text)")
      try await body(fixture)
    }
  }

  private static let pages = [
    "N?", "N?sort=s&", "N?sort=-s,id&", "N?sort=n.s&", "N?distinct=s&", "N?sectionBy=s&",
    "N?sectionBy=id&sort=-id&",
    "N?filter=id%20%3E%200&sort=s&", "N/1/l?", "N/1/v?", "N/1/m?", "N/1/t?", "N/1/v?sort=self&",
    "N/1/m?sort=self&",
    "N/1/t?filter=self%20!=%20'x'&", "N/1/x/a?", "N/1/nm?", "N/1/l?fields=s&",
  ]

  /// A cursor that a link carried, with other values, and its checksum right again.
  private static func forge(_ token: String, _ values: Value, _ key: Value) throws -> String {
    let bytes = try #require(Base64.decode(token, as: .urlSafe))
    var document = try Document(bson: bytes[8...])
    document.elements = document.elements.map { element in
      switch element.key {
      case "v": Document.Element(key: "v", value: values)
      case "k": Document.Element(key: "k", value: key)
      default: element
      }
    }
    let content = try document.bson()
    var hash = FNV1a()
    hash.combine(content)
    let checksum = (0..<8).map { UInt8(truncatingIfNeeded: hash.value >> ($0 * 8)) }
    return Base64.encode(checksum + content, as: .urlSafe)
  }

  private static func cursor(_ page: String, _ fixture: Fixture) async throws -> String {
    let answer = try await fixture.send(.get, "/v1/collections/\(page)limit=1")
    let link = try #require(answer.fields["link"], "\(page) \(answer.text)")
    let text = try #require(link.split(separator: "cursor=").last?.prefix { $0 != "&" && $0 != ">" })
    return String(text)
  }

  private static func value(_ random: inout SeededGenerator, _ depth: Int = 0) -> Value {
    let extremes: [Int64] = [.min, .max, -1, 0, 1, 2, 1 << 40]
    let number = extremes.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<(depth < 3 ? 16 : 11), using: &random) {
    case 0: return .null
    case 1: return .bool(true)
    case 2: return .int64(number)
    case 3: return .double([.nan, .infinity, -0.0, 1.5].randomElement(using: &random) ?? 0)
    case 4: return .string(["", "a", "s1", "\u{0}", "é"].randomElement(using: &random) ?? "")
    case 5: return .binary(Binary(bytes: [0, 255]))
    case 6: return .objectID(ObjectID(high: 1, low: 2))
    case 7: return .document(["t": .array([.int64(number), .int64(999_999_999)])])
    case 8: return .document(["o": .array([.string("Nowhere"), .int64(number)])])
    case 9: return .document(["f": .int64(number)])
    case 10: return .int32(7)
    case 11: return .array([value(&random, depth + 1)])
    case 12: return .document(["l": .array([value(&random, depth + 1)])])
    case 13: return .document(["l": .array([value(&random, depth + 1), value(&random, depth + 1)])])
    case 14: return .document(["d": .array([.string("k"), value(&random, depth + 1)])])
    default: return .document(["x": .null])
    }
  }

  @Test func `a forged cursor is a client's mistake`() async throws {
    try await Self.with { fixture in
      var random = SeededGenerator(seed: 20)
      for page in Self.pages {
        let cursor = try await Self.cursor(page, fixture)
        let whole = try await fixture.send(.get, "/v1/collections/\(page)limit=1&cursor=\(cursor)")
        #expect(whole.status == 200, "\(page) \(whole.text)")
        for _ in 0..<60 {
          let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.value(&random) }
          let forged = try Self.forge(cursor, .array(values), Self.value(&random))
          let answer = try await fixture.send(.get, "/v1/collections/\(page)limit=2&cursor=\(forged)")
          let isRefused = answer.code.map(Self.codes.contains) ?? false
          #expect(
            answer.status == 200 || isRefused && answer.status < 500, "\(page) \(values): \(answer.text)")
        }
        let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        let noise = try await fixture.send(
          .get, "/v1/collections/\(page)cursor=\(Base64.encode(bytes, as: .urlSafe))")
        #expect((noise.status, noise.code) == (400, "invalid_cursor"))
      }
    }
  }

  @Test(
    arguments: [
      // Too many, too few and unstorable values; starts of other collections; an offset that no list has.
      ("N?sort=s&", [.string("a"), .string("b")]), ("N?sort=s&", []), ("N?sort=s&", [.bool(true)]),
      ("N?", [.int64(1)]),
      ("N?sectionBy=s&", []), ("N/1/l?", [.string("a")]), ("N/1/m?", [.int64(1)]), ("N/1/t?", [.int64(1)]),
      ("N/1/v?", [.int64(.max)]), ("N/1/v?", [.int64(-1)]), ("N/1/v?sort=self&", [.int64(.max)]),
      ("N/1/v?sort=self&", [.string("a")]), ("N/1/t?", [.document(["l": .array([.bool(true)])])]),
      ("N/1/x/a?", [.string("a")]),
    ] as [(String, [Value])])
  func `a cursor of another kind of result is invalid`(page: String, values: [Value]) async throws {
    try await Self.with { fixture in
      let forged = try Self.forge(try await Self.cursor(page, fixture), .array(values), .int64(1))
      let answer = try await fixture.send(.get, "/v1/collections/\(page)limit=2&cursor=\(forged)")
      #expect((answer.status, answer.code) == (400, "invalid_cursor"), "\(answer.text)")
    }
  }

  /// Forms of a query with a path in it.
  private static func queries(_ path: String) -> [String] {
    [
      "filter=\(path).id%20==%201", "filter=ANY%20\(path).id%20==%201", "filter=\(path).@count%20%3E%200",
      "filter=\(path).id.@sum%20%3E%200", "filter=\(path)%20==%20nil",
      "filter=NOT%20\(path).s%20BEGINSWITH%20'a'",
      "filter=SUBQUERY(\(path),%20$x,%20$x.\(path).id%20==%201).@count%20%3E%200",
      "filter=\(path).@links.@count%20==%200",
      "sort=\(path).s", "distinct=\(path).s", "sectionBy=\(path).s", "fields=\(path).s", "expand=\(path)",
      "aggregate=\(path).id.@max", "filter=\(path).v%20==%201",
    ]
  }

  @Test(arguments: [1, 2, 8, 16, 29, 30, 31, 32, 64, 90, 1_000])
  func `a path of any number of links is answered or refused`(count: Int) async throws {
    try await Self.with { fixture in
      for name in ["n", "k", "back", "e.n", "k%5B0%5D", "o", "x"] {
        let path = Array(repeating: name, count: count).joined(separator: ".")
        for query in Self.queries(path) {
          let answer = try await fixture.send(.get, "/v1/collections/N?\(query)")
          let isRefused = answer.status == 400 && answer.code.map(Self.codes.contains) ?? false
          #expect(answer.status == 200 || isRefused, "\(count) \(query.prefix(80)): \(answer.text)")
        }
        let stream = try await fixture.send(
          .get, "/v1/collections/N?keyPaths=\(path)", ["accept": "text/event-stream"])
        #expect(stream.status == 200 || stream.status == 400, "\(stream.text)")
        let segments = Array(repeating: name.replacing(".", with: "/"), count: count).joined(separator: "/")
        let place = try await fixture.send(.get, "/v1/collections/N/1/\(segments)")
        #expect(place.status < 500, "\(place.text)")
      }
    }
  }
}
