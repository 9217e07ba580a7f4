import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Sets of links are in the order in which their objects were made, wherever they are shown.
@Suite struct SetOrderTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","tags":"Tag<>","bag":"mixed<>"}},\
    {"name":"Tag","primaryKey":"_id","properties":{"_id":"int"}}]
    """

  private static func link(_ id: Int) -> String { #"{"$ref":"Tag","$id":\#(id)}"# }

  private func set(_ watcher: Watcher) async -> [String] {
    StreamEvent.all(in: watcher.text).compactMap { event in
      guard event.name == "update", let data = event.data else { return nil }
      return data.split(separator: #","object":"#).last?.split(separator: #","changed""#).first
        .map(String.init)
    }
  }

  @Test func `a set is shown by events, early and late, as a read shows it`() async throws {
    try await Fixture.with(Self.schema) { fixture in
      func write(_ method: GatehouseHTTP.Method, _ path: String, _ json: String) async throws {
        let answer = try await fixture.send(method, "/v1/collections/\(path)", json: json)
        try #require(answer.status < 300, "\(answer.text)")
      }
      try await write(.post, "Tag", #"[{"_id":0},{"_id":1},{"_id":2}]"#)
      try await write(.post, "Note", #"{"_id":1,"tags":[0,1],"bag":[\#(Self.link(1)),"a"]}"#)
      #expect(try await fixture.send(.delete, "/v1/collections/Tag/0").status == 204)
      try await write(.post, "Tag", #"{"_id":0}"#)
      let start = fixture.store.version
      let watcher = try await fixture.watch("/v1/collections/Note")
      _ = await watcher.events(through: "ready")
      var read: [String] = []
      for path in ["tags", "bag"] {
        for id in [0, 2] {
          try await write(
            .post, "Note/1/\(path)", path == "tags" ? "\(id)" : Self.link(id))
          read.append(try await fixture.send(.get, "/v1/collections/Note/1").text)
        }
      }
      #expect(
        read.last
          == #"{"_id":1,"tags":[1,2,0],"bag":["a",\#(Self.link(1)),\#(Self.link(2)),\#(Self.link(0))]}"#)
      await fixture.settle()
      #expect(await set(watcher) == read)
      let late = try await fixture.watch("/v1/collections/Note?since=\(start)")
      _ = await late.events(through: "ready")
      #expect(await set(late) == read)
    }
  }
}
