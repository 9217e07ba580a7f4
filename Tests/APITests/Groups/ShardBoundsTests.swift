import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// The bounds of requests that are divided among shards.
@Suite struct ShardBoundsTests {
  private static let item = "/v1/collections/Item"

  /// A text for each shard, which its object has.
  private func fill(_ fixture: Fixture, shards: Int, size: Int) async throws -> [Int] {
    let text = String(repeating: "x", count: size)
    var ids: [Int] = []
    for shard in 0..<shards {
      let own = (0..<10_000).first { ShardKey.shard(of: .int(Int64($0)), among: shards) == shard }
      let id = try #require(own)
      let made = try await fixture.send(.post, Self.item, json: #"{"id":\#(id),"text":"\#(text)"}"#)
      try #require(made.status == 201, "\(made.text.prefix(200))")
      ids.append(id)
    }
    return ids
  }

  @Test func `large objects of many shards are put together within the memory that there is`() async throws {
    let size = 256 << 10
    let sharded = try await ShardedFixture(shards: 64, memory: 64 * size * 6)
    try await ShardedFixture.with(sharded) { fixture, shards in
      let ids = try await fill(fixture, shards: 64, size: size)
      for accept in ["application/json", "application/x-ndjson"] {
        let read = try await fixture.send(.get, "\(Self.item)?sort=id&limit=64", ["accept": accept])
        #expect(read.status == 200, "\(read.text.prefix(200))")
        #expect(read.text.matches(of: #/"id":(\d+),/#).compactMap { Int($0.1) } == ids.sorted())
      }
      #expect(shards[0].memory.used == 0)
    }
  }

  @Test func `what does not fit in memory is an error, and leaves nothing behind`() async throws {
    let size = 256 << 10
    let sharded = try await ShardedFixture(shards: 64, memory: 8 << 20)
    try await ShardedFixture.with(sharded) { fixture, shards in
      _ = try await fill(fixture, shards: 64, size: size)
      let refused = try await fixture.send(.get, "\(Self.item)?sort=id&limit=64")
      #expect((refused.status, refused.code) == (429, "share_exceeded"), "\(refused.text.prefix(200))")
      #expect(shards[0].memory.used == 0)
      let few = try await fixture.send(.get, "\(Self.item)?sort=id&fields=id&limit=64")
      #expect(few.status == 200, "\(few.text)")
    }
  }

  @Test func `a request takes one token of its caller's rate, however many shards are asked`() async throws {
    let objects = (0..<20).map { "{\"id\":\($0)}" }.joined(separator: ",")
    let documents = (20..<40).map { "{\"_id\":\($0)}" }.joined(separator: ",")
    let requests: [(GatehouseHTTP.Method, String, String)] = [
      (.post, Self.item, "[\(objects)]"), (.get, "\(Self.item)?sort=id", ""),
      (.get, "\(Self.item)?aggregate=@count", ""), (.get, "/v1/changes?class=Item&since=0", ""),
      (.patch, "\(Self.item)?filter=TRUEPREDICATE", #"{"n":1}"#),
      (
        .post, DataAPITests.target("insertMany"),
        DataAPITests.content("Item", #""documents":[\#(documents)]"#)
      ),
      (
        .post, DataAPITests.target("findOneAndUpdate"),
        DataAPITests.content("Item", #""filter":{"n":1},"sort":{"_id":1},"update":{"$set":{"n":2}}"#)
      ),
      (
        .post, DataAPITests.target("updateOne"),
        DataAPITests.content("Item", #""filter":{"n":99},"update":{"$set":{"n":2}}"#)
      ),
      (
        .post, DataAPITests.target("updateMany"),
        DataAPITests.content(
          "Item", #""filter":{"n":99},"update":{"$set":{"n":2},"$setOnInsert":{"_id":99}},"upsert":true"#)
      ),
      (.delete, "\(Self.item)?filter=TRUEPREDICATE", ""),
    ]
    // Two for the classes of the fixture.
    let rates = RateLimiter(requestsPerSecond: 1, burst: requests.count + 2) { 0 }
    let sharded = try await ShardedFixture(shards: 5, rates: rates)
    try await ShardedFixture.with(sharded) { fixture, _ in
      for (method, path, content) in requests {
        let answer = try await fixture.send(method, path, json: content)
        #expect(answer.status < 300, "\(path) \(answer.text)")
      }
      #expect(try await fixture.send(.get, Self.item).status == 429)
    }
  }
}
