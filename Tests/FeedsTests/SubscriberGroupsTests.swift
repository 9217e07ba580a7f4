import GatehouseStorage
import Testing

@testable import GatehouseFeeds

@Suite struct SubscriberGroupsTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","text":"string"}}]
    """

  private static func producer(after version: Int64, _ store: FeedStore) -> EventProducer {
    EventProducer(
      from: EventPosition(LogPosition(version: version)), schema: store.store.schema, limit: 10)
  }

  private static func advance(_ producer: EventProducer, _ store: FeedStore) throws {
    try store.reader.snapshot { (snapshot) throws(StorageError) -> Void in
      try producer.look(snapshot)
      while try producer.advance(snapshot, limit: 8) {}
    }
  }

  @Test func `a producer in the place of one that has failed hands on its own frames, and no older ones`()
    async throws
  {
    let store = try await FeedStore(Self.schema)
    let groups = SubscriberGroups()
    let first = Self.producer(after: 1, store)
    #expect(groups.begin(with: first) == [])
    let number = try #require(groups.number(of: Subscription(.objectType("Note"))))
    try await store.commit(store.creation("Note", #"{"_id":1,"text":"a"}"#))
    try Self.advance(first, store)
    // It fails now, before anybody has taken its frames.
    #expect(groups[number]?.encoded.bytes.isEmpty == false)
    let second = Self.producer(after: 2, store)
    #expect(groups.begin(with: second) == [])
    try await store.commit(store.creation("Note", #"{"_id":2,"text":"b"}"#))
    try Self.advance(second, store)
    let changed = second.takeChangedGroups()
    #expect(changed.map(\.number) == [number])
    #expect(changed.flatMap { $0.takeEncoded().lines }.map { $0.prefix { $0 != " " } } == ["3-0"])
  }
}
