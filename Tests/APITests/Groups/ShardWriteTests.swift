import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseSeeded
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Writes of several objects of a class that is divided among shards.
@Suite struct ShardWriteTests {
  private static let item = "/v1/collections/Item"

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `the same writes have the same answers, and leave the same objects, in one store and in several`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    try await ShardedFixture.with(shards: .random(in: 2...7, using: &random)) { fixture, _ in
      var next = 0
      for _ in 0..<12 {
        let write = ShardWriteTests.write(&next, &random)
        var answers: [String] = []
        for name in ["Item", "Plain"] {
          let answer = try await fixture.send(
            write.method, "/v1/collections/\(name)\(write.query)", write.fields, Array(write.content.utf8))
          // Each shard has versions of its own.
          let fields = answer.fields.filter { $0.key != "realm-version" }.sorted { $0.key < $1.key }
          answers.append("\(answer.status) \(answer.comparable) \(fields)")
        }
        #expect(answers[0] == answers[1], "seed \(seed): \(write)")
      }
      for representation in ["application/x-ndjson", "application/ejson"] {
        let read = { (name: String) in
          try await fixture.send(
            .get, "/v1/collections/\(name)?sort=id&limit=1000", ["accept": representation]
          ).text
        }
        #expect(try await read("Item") == read("Plain"), "seed \(seed)")
      }
    }
  }

  private struct Write {
    let method: GatehouseHTTP.Method
    var query = ""
    var fields = ["content-type": "application/json"]
    var content = ""
  }

  private static func write(_ next: inout Int, _ random: inout SeededGenerator) -> Write {
    let filter = ["n%20%3E%3D%201", "text%20%3D%20%22a%22", "id%20%3C%2020", "n%20%3D%2077"].randomElement(
      using: &random)
    var fields = ["content-type": "application/json"]
    if Int.random(in: 0..<4, using: &random) == 0 { fields["prefer"] = "return=minimal" }
    if Int.random(in: 0..<4, using: &random) == 0 { fields["accept"] = "application/ejson" }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      return Write(method: .delete, query: "?filter=\(filter ?? "")", fields: fields)
    case 1, 2:
      let patch = [#"{"n":5}"#, #"{"$inc":{"n":2}}"#, #"{"any":{"$numberInt":"3"}}"#, #"{"nothing":1}"#]
      return Write(
        method: .patch, query: "?filter=\(filter ?? "")", fields: fields,
        content: patch.randomElement(using: &random) ?? "")
    case let kind:
      // Some are there already, for which only a mode is good.
      let first = kind == 3 ? max(0, next - 5) : next
      let ids = first..<first + Int.random(in: 1...25, using: &random)
      next = max(next, ids.upperBound)
      let query = kind == 3 ? "?mode=modified" : ""
      let values = ids.map { ($0, Int.random(in: 0...3, using: &random)) }
      let objects = values.map {
        #"{"id":\#($0),"n":\#($1),"text":"a","any":1.5,"price":"1.50","at":"2020-01-01T00:00:00Z"}"#
      }
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        fields["content-type"] = "text/csv"
        let rows = values.map { "\($0),\($1),\"a,b\",1.0" }
        return Write(
          method: .post, query: query, fields: fields,
          content: (["id,n,text,price"] + rows).joined(separator: "\r\n"))
      case 1:
        fields["content-type"] = "application/x-ndjson"
        return Write(
          method: .post, query: query, fields: fields, content: objects.joined(separator: "\n\n"))
      default:
        return Write(
          method: .post, query: query, fields: fields, content: "[\(objects.joined(separator: ","))]")
      }
    }
  }

  @Test func `what is wrong with one line is told before anything is written`() async throws {
    try await ShardedFixture.with { fixture, shards in
      let lines = (0..<20).map { $0 == 13 ? #"{"id":13,"n":"x"}"# : #"{"id":\#($0)}"# }
      for (type, content, line) in [
        ("application/x-ndjson", "\n" + lines.joined(separator: "\n"), 15),
        ("application/json", "[\(lines.joined(separator: ","))]", nil),
      ] {
        let refused = try await fixture.send(.post, Self.item, ["content-type": type], Array(content.utf8))
        #expect((refused.status, refused.code) == (422, "invalid_object"), "\(refused.text)")
        #expect(refused.errors?.contains(#""pointer":"/13/n""#) == true, "\(refused.text)")
        if let line { #expect(refused.errors?.contains(#""line":\#(line)"#) == true, "\(refused.text)") }
      }
      let broken = Array((lines[..<13].joined(separator: "\n") + "\n{").utf8)
      let malformed = try await fixture.send(
        .post, Self.item, ["content-type": "application/x-ndjson"], broken)
      #expect((malformed.status, malformed.code) == (400, "malformed_json"), "\(malformed.text)")
      for store in shards { #expect(try store.makeReader().counts().allSatisfy { $0.count == 0 }) }
    }
  }

  @Test func `where a shard has not done its part, the answer says what is done and why the rest is not`()
    async throws
  {
    try await ShardedFixture.with { fixture, _ in
      #expect(try await fixture.send(.post, Self.item, json: #"{"id":7,"n":1}"#).status == 201)
      let own = ShardKey.shard(of: .int(7), among: 3)
      let others = (0..<20).filter { ShardKey.shard(of: .int(Int64($0)), among: 3) != own }
      let content = Array((0..<20).map { "{\"id\":\($0)}" }.joined(separator: "\n\n").utf8)
      let fields = ["content-type": "application/x-ndjson", "idempotency-key": "\"k\""]
      let partly = try await fixture.send(.post, Self.item, fields, content)
      #expect((partly.status, partly.code) == (409, "partly_done"), "\(partly.text)")
      #expect(partly.text.contains("\"count\":\(others.count),"), "\(partly.text)")
      for text in [#""code":"object_exists""#, #""pointer":"/7""#, #""line":15"#] {
        #expect(partly.text.contains(text), "\(text) \(partly.text)")
      }
      let count = { try await fixture.send(.get, "\(Self.item)?aggregate=@count").text }
      #expect(try await count() == #"{"@count":\#(others.count + 1)}"#)
      // The same again, once the reason is gone: what is done already is not done twice.
      #expect(try await fixture.send(.delete, "\(Self.item)/7").status == 204)
      let again = try await fixture.send(.post, Self.item, fields, content)
      #expect(again.status == 201, "\(again.text)")
      #expect(again.text.hasPrefix("{\"count\":20,"), "\(again.text)")
      #expect(try await count() == #"{"@count":20}"#)
      // Nothing is done at all.
      let there = try await fixture.send(.post, Self.item, ["content-type": "application/x-ndjson"], content)
      #expect((there.status, there.code) == (409, "object_exists"), "\(there.text)")
    }
  }

  @Test func `a caller with rules changes the objects that they may, in all shards`() async throws {
    try await ShardedFixture.with { fixture, _ in
      let rule = #"{"read":"text == 'me'","write":"text == 'me' AND n < 10"}"#
      let (administrator, member) = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(rule),"Plain":\#(rule)}}}"#)
      let objects = (0..<40).map {
        #"{"id":\#($0),"n":\#($0 % 4),"text":"\#($0 % 3 == 0 ? "me" : "other")"}"#
      }
      for name in ["Item", "Plain"] {
        let path = "/v1/collections/\(name)"
        let made = try await fixture.send(
          .post, path, administrator, json: "[\(objects.joined(separator: ","))]")
        try #require(made.status == 201, "\(made.text)")
        #expect(
          try await fixture.send(.post, path, json: #"[{"id":100},{"id":101},{"id":102}]"#).status == 401)
      }
      for (method, query, content) in [
        (GatehouseHTTP.Method.patch, "?filter=TRUEPREDICATE", #"{"$inc":{"n":1}}"#),
        (.patch, "?filter=n%3D2", #"{"n":50}"#), (.delete, "?filter=n%3D3", ""),
        (
          .post, "", #"[{"id":50,"text":"me","n":1},{"id":51,"text":"me","n":1},{"id":52,"text":"me","n":1}]"#
        ),
        (.post, "", #"[{"id":60,"text":"other"},{"id":61,"text":"other"},{"id":62,"text":"other"}]"#),
      ] {
        var answers: [String] = []
        for name in ["Item", "Plain"] {
          let answer = try await fixture.send(
            method, "/v1/collections/\(name)\(query)", member, json: content)
          answers.append("\(answer.status) \(answer.code ?? answer.text)")
        }
        #expect(answers[0] == answers[1], "\(method) \(query)")
        let read = { (name: String) in
          try await fixture.send(.get, "/v1/collections/\(name)?sort=id&limit=100", administrator).text
        }
        #expect(try await read("Item") == read("Plain"), "\(method) \(query)")
      }
    }
  }
}

extension Answer {
  /// The content without the identifier of the request and the name of the class.
  fileprivate var comparable: String {
    let text = text.replacing("Item", with: "X").replacing("Plain", with: "X")
    return text.replacing(#/"requestId":"[^"]*"/#, with: "")
  }
}
