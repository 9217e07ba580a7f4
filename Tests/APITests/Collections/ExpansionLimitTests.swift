import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Links that lead to the same few objects again and again, shown in place of the links: each level multiplies the
/// answer.
@Suite struct ExpansionLimitTests {
  private static let deep = "links" + String(repeating: ".links", count: 7)

  /// Twelve objects, each with links to six others and a long text.
  private static func populated() async throws -> Fixture {
    let fixture = try await Fixture(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int?","text":"string","links":"A[]"}}]"#)
    let text = String(repeating: "x", count: 50_000)
    let objects = (0..<12).map { id in
      let links = (1...6).map { String((id + $0) % 12) }.joined(separator: ",")
      return #"{"id":\#(id),"text":"\#(text)","links":[\#(links)]}"#
    }
    let answer = try await fixture.send(
      .post, "/v1/collections/A", json: "[\(objects.joined(separator: ","))]")
    #expect(answer.status == 201)
    return fixture
  }

  @Test(arguments: ["application/json", "application/ejson", "application/bson", "application/x-ndjson"])
  func `an answer has its bound, however it is written`(type: String) async throws {
    let fixture = try await Self.populated()
    for path in ["A/0", "A"] where type != "application/x-ndjson" || path == "A" {
      let answer = try await fixture.send(
        .get, "/v1/collections/\(path)?expand=\(Self.deep)", ["accept": type])
      #expect(answer.status == 400, "\(path)")
      #expect(answer.text.contains(#""code":"answer_too_large""#), "\(answer.text.prefix(300))")
    }
    let answer = try await fixture.send(.get, "/v1/collections/A/0?expand=links", ["accept": type])
    #expect(answer.status == (type == "application/x-ndjson" ? 406 : 200))
    await fixture.remove()
  }

  @Test func `a stream whose event is too large is told to read anew, and others get theirs`() async throws {
    let fixture = try await Self.populated()
    let deep = try await fixture.watch("/v1/collections/A/0?expand=\(Self.deep)")
    let other = try await fixture.watch("/v1/collections/A?fields=n&keyPaths=n")
    for watcher in [deep, other] { _ = await watcher.events(through: "ready") }
    for number in 1...2 {
      let answer = try await fixture.send(.patch, "/v1/collections/A/0", json: #"{"n":\#(number)}"#)
      #expect(answer.status == 200)
    }
    await fixture.settle()
    #expect(await other.events(4).dropFirst(2).map(\.name) == ["update", "update"])
    #expect(!other.text.contains("resync"))
    #expect(await deep.events(4).dropFirst(2).map(\.name) == ["resync", "resync"])
    #expect(deep.text.utf8.count < 1000)
    await fixture.remove()
  }
}
