import FoundationEssentials
import GatehouseAudit
import GatehouseFeeds
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

/// A gateway with a store of its own, which has the class `Plain`, and a group `archive` of several shards, which have `Item`: a class
/// with the same properties.
struct ShardedFixture {
  let fixture: Fixture
  let shards: [Store]
  private let directory: String

  static let properties =
    #"{"id":"int","n":"int?","text":"string?","ratio":"double?","price":"decimal128?","any":"mixed","on":"bool?","at":"date?","tags":"int[]"}"#
  static let item = #"{"name":"Item","primaryKey":"id","properties":\#(properties)}"#
  static let plain = #"{"name":"Plain","primaryKey":"id","properties":\#(properties)}"#

  /// - Parameters:
  ///   - memory: The bytes that callers of a shard share; nil: as many as ever.
  ///   - cluster: Returns the cluster that a shard is kept by; nil: the server is alone.
  init(
    shards count: Int = 3, audit: Auditing? = nil, rates: RateLimiter? = nil, memory: Int? = nil,
    cluster: (_ shard: Int) -> ClusterAccess? = { _ in nil }
  ) async throws {
    directory = "\(Machine.scratch)/gatehouse-\(FoundationEssentials.UUID())"
    let group = ClassGroup(name: "archive", classes: ["Item", "Note", "Box"], shards: count)
    var groups: [GatewayGroup] = []
    for shard in 0..<count {
      var options = StoreOptions()
      options.classBounds = .only(group.classes)
      options.ownsKey = { ShardKey.shard(of: $0, among: count) == shard }
      if let memory { options.sharedMemory = memory }
      if audit != nil { options.appendOnlyClasses = [StoredEvent.className] }
      let store = try Store(directory: "\(directory)/\(shard)", options: options)
      var part = GatewayGroup(group, store, broker: EventBroker(store))
      part.shard = shard
      part.recorder = audit?.recorder(store)
      part.cluster = cluster(shard)
      groups.append(part)
    }
    shards = groups.map(\.store)
    fixture = try await Fixture(nil, audit: audit, groups: groups, rates: rates) {
      $0.classBounds = .except(group.classes)
    }
  }

  /// Runs a test with both classes; the stores are gone afterwards.
  static func with(shards: Int = 3, _ body: (Fixture, _ shards: [Store]) async throws -> Void) async throws {
    try await with(ShardedFixture(shards: shards), body)
  }

  static func with(
    _ sharded: ShardedFixture, _ body: (Fixture, _ shards: [Store]) async throws -> Void
  ) async throws {
    for (name, type) in [("Plain", plain), ("Item", item)] {
      let answer = try await sharded.fixture.send(.put, "/v1/schema/\(name)", json: type)
      try #require(answer.status == 201, "\(answer.text)")
    }
    try await body(sharded.fixture, sharded.shards)
    await sharded.fixture.remove()
    for store in sharded.shards { await store.close() }
    try? FileManager.default.removeItem(atPath: sharded.directory)
  }
}
