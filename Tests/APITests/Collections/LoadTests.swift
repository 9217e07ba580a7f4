import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

/// Streams of lines that do not fit in memory.
@Suite struct LoadTests {
  private static let count = 4_000

  private func send(
    _ fixture: Fixture, _ lines: Lines, _ query: String = "", _ fields: [String: String] = [:]
  ) async throws -> Answer {
    let fields = ["content-type": "application/x-ndjson"].merging(fields) { $1 }
    let request = Request(
      method: .post, target: Target(path: "/v1/collections/City", query: query.isEmpty ? nil : query),
      fields: Fields(fields.map { Fields.Line(name: $0.key, value: $0.value) }), body: .stream(lines))
    return try await Answer(fixture.gateway.respond(to: request))
  }

  @Test func `a long stream is one transaction`() async throws {
    try await Fixture.with { fixture in
      let answer = try await send(fixture, Lines(LoadTests.count))
      #expect(answer.status == 201, "\(answer.text)")
      #expect(answer.text == #"{"count":4000}"#)
      #expect(answer.fields == ["content-type": "application/json", "realm-version": "2", "vary": "accept"])
      #expect(
        try await fixture.send(.get, "/v1/collections").text.contains(#"{"class":"City","count":4000}"#))
      #expect(
        try await fixture.send(.get, "/v1/collections/City/3999").document["name"] == .string(Lines.name))
    }
  }

  @Test(arguments: [
    (nil, nil), ("durability=full", "durability=full"), ("durability=within-60s", "durability=full"),
    ("durability=within-60s, return=minimal", "return=minimal, durability=full"),
  ])
  func `it is on the disk whatever was asked for, and the answer says so`(asked: String?, applied: String?)
    async throws
  {
    try await Fixture.with { fixture in
      let fields = asked.map { ["prefer": $0] } ?? [:]
      let answer = try await send(fixture, Lines(LoadTests.count), "", fields)
      #expect((answer.status, answer.fields["preference-applied"]) == (201, applied))
      #expect(fixture.store.isSettled)
    }
    let relaxed = try await Fixture(durability: .within(milliseconds: 60_000))
    let answer = try await send(relaxed, Lines(LoadTests.count))
    #expect(answer.fields["preference-applied"] == "durability=full")
    #expect(relaxed.store.isSettled)
    await relaxed.remove()
  }

  @Test func `a repetition has the same answer`() async throws {
    try await Fixture.with { fixture in
      let key = ["idempotency-key": "\"k\""]
      let first = try await send(fixture, Lines(LoadTests.count), "", key)
      let second = try await send(fixture, Lines(LoadTests.count), "", key)
      #expect(second.text == first.text)
      #expect(second.status == 201)
      #expect(second.fields == first.fields)
    }
  }

  @Test(
    arguments: [
      ("{\"_id\":1,\n", 400, "malformed_json", 3_003),
      (#"{"_id":"x","name":"n"}"# + "\n", 422, "invalid_object", 3_003),
      (#"{"_id":3,"name":"n"}"# + "\n", 409, "object_exists", 3_003),
      (#"{"_id":99999,"name":"n","country":"XX"}"# + "\n", 409, "link_target_not_found", 3_003),
    ] as [(String, UInt16, String, Int)])
  func `a bad line answers with its number and writes nothing`(
    bad: String, status: UInt16, code: String, line: Int
  ) async throws {
    try await Fixture.with { fixture in
      // Two blank lines stand before it.
      let answer = try await send(fixture, Lines(LoadTests.count, replacing: 3_000, by: "\n \t\r\n" + bad))
      #expect(answer.status == status)
      #expect(answer.code == code)
      #expect(answer.errors?.contains(#""line":\#(line)"#) == true, "\(answer.text)")
      #expect(try await fixture.send(.get, "/v1/collections/City").text == "[]")
      #expect(fixture.store.version == 1)
    }
  }

  @Test func `a stream has a limit, and so has a line`() async throws {
    try await Fixture.with(limits: RequestLimits(contentSize: 100_000, streamSize: 1 << 21)) { fixture in
      #expect(try await send(fixture, Lines(8_000)).code == "content_too_large")
      let long = #"{"_id":1,"name":""# + String(repeating: "x", count: 400_000) + "\"}\n"
      let answer = try await send(fixture, Lines(LoadTests.count, replacing: 3_000, by: long))
      #expect(answer.code == "content_too_large")
      #expect(fixture.store.version == 1)
    }
  }
}

extension LoadTests {
  @Test func `a long table is one transaction, and a bad row is named`() async throws {
    try await Fixture.with { fixture in
      let good = try await send(
        fixture, Lines(LoadTests.count, asTable: true), "", ["content-type": "text/csv"])
      #expect(good.text == #"{"count":4000}"#)
      let bad = Lines(LoadTests.count, replacing: 3_000, by: "99999,\"two\nlines\",XX\n", asTable: true)
      let answer = try await send(fixture, bad, "mode=modified", ["content-type": "text/csv"])
      #expect(answer.code == "link_target_not_found")
      #expect(answer.pointers == ["/3000/country"])
      #expect(answer.errors?.contains(#""line":3002"#) == true, "\(answer.text)")
      #expect(fixture.store.version == 2)
    }
  }

  @Test func `a long array is no lines`() async throws {
    try await Fixture.with { fixture in
      let answer = try await send(fixture, Lines(LoadTests.count, replacing: 0, by: "[{},\n"))
      #expect(answer.errors?.contains(#""code":"json_array""#) == true, "\(answer.text)")
    }
  }
}

/// Lines that come in pieces which do not end where lines do.
private final class Lines: BodyReader {
  static let name = String(
    repeating: "a name that is so long that the stream does not fit in memory ", count: 6)

  private let rest: Mutex<ArraySlice<UInt8>>

  init(_ count: Int, replacing index: Int? = nil, by text: String = "", asTable isTable: Bool = false) {
    var bytes: [UInt8] = isTable ? Array("_id,name,country\n".utf8) : []
    for number in 0..<count {
      let line =
        isTable ? "\(number),\"\(Lines.name)\",\n" : "{\"_id\":\(number),\"name\":\"\(Lines.name)\"}\n"
      bytes += (number == index ? text : line).utf8
    }
    rest = Mutex(bytes[...])
  }

  func read() async throws -> [UInt8]? {
    rest.withLock { rest in
      if rest.isEmpty { return nil }
      defer { rest = rest.dropFirst(65_521) }
      return Array(rest.prefix(65_521))
    }
  }
}
