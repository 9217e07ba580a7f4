import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// A group whose objects are divided among several databases by their primary keys.
@Suite struct ShardTests {
  private static let item = "/v1/collections/Item"

  @Test func `the shard of a key is the same wherever it is asked for`() {
    // Objects are where these say: other numbers would lose them.
    #expect([1, 2, 3, 4].map { ShardKey.shard(of: .int($0), among: 8) } == [7, 4, 3, 3])
    #expect(["", "a", "b"].map { ShardKey.shard(of: .string($0), among: 8) } == [7, 2, 5])
    #expect(ShardKey.shard(of: .null, among: 8) == 4)
  }

  @Test func `an object is in the shard of its key, and clients need not know`() async throws {
    try await ShardedFixture.with { fixture, shards in
      for id in 0..<30 {
        let made = try await fixture.send(.post, Self.item, json: #"{"id":\#(id),"n":\#(id % 7)}"#)
        #expect(made.status == 201 && made.fields["location"] == "\(Self.item)/\(id)", "\(made.text)")
      }
      for (number, store) in shards.enumerated() {
        let owned = (0..<30).count { ShardKey.shard(of: .int($0), among: 3) == number }
        #expect(try store.makeReader().counts().first { $0.0 == "Item" }?.1 == owned)
      }
      #expect(try await fixture.send(.get, "\(Self.item)/17/n").text == "3")
      let read = try await fixture.send(.get, "\(Self.item)/17?fields=n")
      #expect(read.text == #"{"n":3}"# && read.fields["etag"] != nil)
      #expect(try await fixture.send(.patch, "\(Self.item)/17", json: #"{"n":9}"#).status == 200)
      #expect(try await fixture.send(.put, "\(Self.item)/18/text", json: #""x""#).status < 300)
      #expect(try await fixture.send(.delete, "\(Self.item)/3").status == 204)
      #expect(try await fixture.send(.get, "\(Self.item)/3").code == "object_not_found")
      #expect(try await fixture.send(.put, "\(Self.item)/3", json: "{}").status == 201)
      #expect(try await fixture.send(.post, Self.item, json: #"{"id":3}"#).code == "object_exists")
      #expect(
        try await fixture.send(.get, "/v1/collections").text
          == #"[{"class":"Plain","count":0},{"class":"Item","count":30}]"#)
      let top = try await fixture.send(
        .get, "\(Self.item)?filter=n%3E5&sort=-n,id&limit=2&fields=id,n", ["prefer": "count=exact"])
      #expect(top.text == #"[{"id":17,"n":9},{"id":6,"n":6}]"# && top.fields["total-count"] == "5", "\(top)")
      let link = try #require(top.fields["link"])
      let next = try await fixture.send(.get, String(link.dropFirst().prefix { $0 != ">" }))
      #expect(next.text == #"[{"id":13,"n":6},{"id":20,"n":6}]"#, "\(next.text)")
      #expect(
        try await fixture.send(
          .post, "/v1/query", json: #"{"from":"Item","aggregate":"@count,n.@max,n.@avg","filter":"id < 3"}"#
        ).text == #"{"@count":3,"n.@max":2,"n.@avg":1.0}"#)
      // One shard by itself.
      let shard = ShardKey.shard(of: .int(17), among: 3)
      let own = try await fixture.send(
        .get, "/v1/groups/archive/\(shard)/collections/Item?filter=id%3D17&fields=id")
      #expect(own.text == #"[{"id":17}]"#, "\(own.text)")
      let other = (shard + 1) % 3
      #expect(try await fixture.send(.get, "/v1/groups/archive/\(other)/collections/Item/17").status == 404)
      let wrong = try await fixture.send(
        .post, "/v1/groups/archive/\(other)/collections/Item", json: #"{"id":117}"#)
      let right = ShardKey.shard(of: .int(117), among: 3) == other
      #expect(right ? wrong.status == 201 : wrong.code == "other_shard", "\(wrong.text)")
      for path in ["/v1/groups/archive/collections", "/v1/groups/archive/metrics"] {
        #expect(try await fixture.send(.get, path).code == "several_shards")
      }
      #expect(try await fixture.send(.get, "/v1/groups/archive/3/collections").code == "group_not_found")
    }
  }

  @Test func `a class is the same in all shards, and has nothing that one of them cannot tell`() async throws
  {
    let sharded = try await ShardedFixture()
    try await ShardedFixture.with(sharded) { fixture, shards in
      for (content, place) in [
        (#"{"properties":{"a":"int"}}"#, nil),
        (#"{"primaryKey":"a","properties":{"a":"date"}}"#, nil),
        (#"{"primaryKey":"a","properties":{"a":"int","b":"Item"}}"#, "b"),
        (#"{"primaryKey":"a","properties":{"a":"int","b":"Note[]"}}"#, "b"),
        (#"{"primaryKey":"a","properties":{"a":"int","b":{"type":"int","unique":true}}}"#, "b"),
      ] {
        let refused = try await fixture.send(.put, "/v1/schema/Note", json: content)
        #expect((refused.status, refused.code) == (422, "unshardable_class"), "\(content) \(refused.text)")
        if let place { #expect(refused.errors?.contains(#""property":"\#(place)""#) == true) }
      }
      #expect(shards.allSatisfy { $0.schema["Note"] == nil })
      // One shard has it already, as after a failure: the same again brings it to all.
      let note = #"{"name":"Note","primaryKey":"a","properties":{"a":"string","b":"Box?"}}"#
      let box = #"{"name":"Box","embedded":true,"properties":{"c":"int"}}"#
      #expect(try await fixture.send(.put, "/v1/groups/archive/0/schema/Box", json: box).status == 201)
      #expect(try await fixture.send(.get, "/v1/schema/Box").status == 404)
      let differs = try await fixture.send(.get, Self.item)
      #expect((differs.status, differs.code) == (503, "shards_differ"), "\(differs.text)")
      #expect(try await fixture.send(.put, "/v1/schema/Box", json: box).status == 200)
      #expect(try await fixture.send(.get, Self.item).status == 200)
      #expect(try await fixture.send(.put, "/v1/schema/Note", json: note).status == 201)
      let whole =
        "[\(ShardedFixture.plain),\(ShardedFixture.item),\(box),\(note.replacing("}}", with: #","d":"int?"}}"#))]"
      let applied = try await fixture.send(.put, "/v1/schema", json: whole)
      #expect(applied.status == 200, "\(applied.text)")
      #expect(Set(shards.map { $0.schema["Note"]?.properties.count }) == [3])
      let read = try await fixture.send(.get, "/v1/schema")
      #expect(read.text.ranges(of: #""name":"Note""#).count == 1, "\(read.text)")
    }
  }

  @Test func `operations of a transaction are of one shard, and a key that is given is one of the shard`()
    async throws
  {
    try await ShardedFixture.with { fixture, shards in
      let note = #"{"name":"Note","primaryKey":"_id","properties":{"_id":"objectId","text":"string?"}}"#
      #expect(try await fixture.send(.put, "/v1/schema/Note", json: note).status == 201)
      var places: Set<Int> = []
      for index in 0..<40 {
        let made = try await fixture.send(.post, "/v1/collections/Note", json: #"{"text":"\#(index)"}"#)
        #expect(made.status == 201, "\(made.text)")
        let location = try #require(made.fields["location"])
        #expect(try await fixture.send(.get, location).text.contains(#""text":"\#(index)""#))
        for (number, store) in shards.enumerated()
        where try store.makeReader().counts().contains(where: { $0.count > 0 }) {
          places.insert(number)
        }
      }
      #expect(places == [0, 1, 2])
      // The same request again is answered by the same shard.
      let key = ["idempotency-key": "\"once\""]
      let first = try await fixture.send(.post, "/v1/collections/Note", key, json: #"{"text":"k"}"#)
      let again = try await fixture.send(.post, "/v1/collections/Note", key, json: #"{"text":"k"}"#)
      #expect(first.text == again.text && first.status == 201)
      let ids = { (shard: Int) in (100..<200).filter { ShardKey.shard(of: .int($0), among: 3) == shard } }
      let (here, there) = (ids(0), ids(1))
      let both = try await fixture.send(.post, Self.item, json: #"[{"id":\#(here[0])},{"id":\#(there[0])}]"#)
      #expect(both.text == #"{"count":2,"ids":[\#(here[0]),\#(there[0])]}"#, "\(both.text)")
      let one = try await fixture.send(.post, Self.item, json: #"[{"id":\#(here[3])},{"id":\#(here[1])}]"#)
      #expect(one.status == 201, "\(one.text)")
      let create = { (id: Int64) in #"{"op":"create","class":"Item","value":{"id":\#(id)}}"# }
      let delete = { (id: Int64) in #"{"op":"delete","class":"Item","id":\#(id)}"# }
      let run = { (operations: [String]) in
        try await fixture.send(
          .post, "/v1/transactions", json: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
      }
      #expect(try await run([create(there[1]), delete(here[0])]).code == "several_shards")
      #expect(try await run([create(here[2]), delete(here[0])]).status == 200)
      for path in [
        "\(Self.item)?at=1", "\(Self.item)?distinct=n&aggregate=@count",
        "\(Self.item)?filter=n%3D1%20LIMIT(2)%20SORT(n%20ASC)",
      ] {
        let refused = try await fixture.send(.get, path)
        #expect((refused.status, refused.code) == (422, "several_shards"), "\(path) \(refused.text)")
      }
      let fields = ["if-version-at-least": "1"]
      #expect(try await fixture.send(.get, Self.item, fields).code == "several_shards")
      await #expect(throws: Fixture.Unwatchable.self) {
        try await fixture.stream("\(Self.item)?mode=results")
      }
      let watcher = try await fixture.watch("\(Self.item)/\(here[1])")
      await watcher.wait { $0.contains("event: ready") }
      #expect(try await fixture.send(.patch, "\(Self.item)/\(here[1])", json: #"{"n":5}"#).status == 200)
      await watcher.wait { $0.contains("event: update") }
      await watcher.leave()
    }
  }
}
