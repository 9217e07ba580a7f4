import GatehouseStorage
import Testing

/// Records, which the store keeps beside the objects.
@Suite struct RecordTests {
  private static let name = Record.Name("key", "a")

  @Test func `a record is there until it is removed, also after the file was closed`() async throws {
    let store = try await TemporaryStore("[]")
    #expect(try store.reading.record(Self.name) == nil)
    #expect(try await store.store.keep([RecordChange(Self.name, [1, 2])]))
    #expect(try store.reading.record(Self.name) == [1, 2])
    try await store.reopen()
    #expect(try store.reading.record(Self.name) == [1, 2])
    #expect(try await store.store.keep([RecordChange(Self.name, nil)]))
    #expect(try store.reading.record(Self.name) == nil)
  }

  @Test(arguments: [
    (RecordChange.Expectation.anything, true), (.absent, false), (.value([1]), true), (.value([2]), false),
  ])
  func `changes happen where all records are as expected`(
    expectation: RecordChange.Expectation, happens: Bool
  ) async throws {
    let store = try await TemporaryStore("[]")
    _ = try await store.store.keep([RecordChange(Self.name, [1])])
    let other = Record.Name("key", "b")
    let changes = [RecordChange(other, [7]), RecordChange(Self.name, [9], expecting: expectation)]
    #expect(try await store.store.keep(changes) == happens)
    #expect(try store.reading.record(Self.name) == (happens ? [9] : [1]))
    #expect(try store.reading.record(other) == (happens ? [7] : nil))
  }

  @Test func `records are read, counted and removed by the beginning of their keys`() async throws {
    let store = try await TemporaryStore("[]")
    let keys = ["a", "a/", "a/1", "a/2", "a/é", "a0", "b/1"]
    let names = keys.map { Record.Name("k", $0) } + [Record.Name("l", "a/1")]
    _ = try await store.store.keep(names.map { RecordChange($0, [1]) })
    #expect(
      try store.reading.records("k", withPrefix: "a/").map(\.name.key) == ["a/", "a/1", "a/2", "a/é"])
    #expect(try store.reading.records("k", withPrefix: "a/", limit: 2).map(\.name.key) == ["a/", "a/1"])
    #expect(try store.reading.countRecords("k", withPrefix: "a/") == 4)
    // Records before it in the same change are removed as well.
    #expect(
      try await store.store.keep([
        RecordChange(Record.Name("k", "a/3"), [1]), RecordChange(removingAll: "k", withPrefix: "a/"),
      ]))
    #expect(try store.reading.records("k").map(\.name.key) == ["a", "a0", "b/1"])
    #expect(try store.reading.records("l").map(\.name.key) == ["a/1"])
  }

  @Test func `records of a kind come in the order of their keys`() async throws {
    let store = try await TemporaryStore("[]")
    let names = [("k", "c"), ("k", "a"), ("other", "b"), ("k", "b")].map(Record.Name.init)
    _ = try await store.store.keep(names.map { RecordChange($0, Array($0.key.utf8)) })
    #expect(try store.reading.records("k").map(\.name.key) == ["a", "b", "c"])
    #expect(try store.reading.records("k", after: "a", limit: 1).map(\.value) == [Array("b".utf8)])
  }
}
