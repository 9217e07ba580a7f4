import Dispatch
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Transactions that share a commit.
@Suite struct GroupCommitTests {
  private static let schema = #"[{"name": "A", "primaryKey": "id", "properties": {"id": "int", "n": "int"}}]"#

  @Test(arguments: [false, true])
  func `one that fails fails alone`(halfway: Bool) async throws {
    let store = try await TemporaryStore(Self.schema)
    try await store.create("A", #"{"id": 0, "n": 0}"#)
    func creation(_ id: Int) throws -> Operation { try store.creation("A", #"{"id": \#(id), "n": 1}"#) }
    let bad = halfway ? [try creation(7), try creation(0)] : [try creation(0)]
    let results = try await store.performTogether([[creation(1)], bad, [creation(2)]])
    #expect(results.map { try? $0.get().version } == [3, nil, 4])
    guard case .failure(let error) = results[1], case .objectExists = error.reason else {
      Issue.record("\(results[1])")
      return
    }
    #expect(error.operation == bad.count - 1)
    #expect(
      try store.page("A", QueryRequest(selection: FieldSelection(fields: "id"))).objects
        == [0, 1, 2].map { #"{"id":\#($0)}"# })
    #expect(try store.counts() == ["A": 3])
    #expect(try store.violations() == [])
    #expect(try store.changes().changes.count == 4)
  }

  @Test func `all that wait together see what came before them`() async throws {
    let store = try await TemporaryStore(Self.schema)
    try await store.create("A", #"{"id": 0, "n": 0}"#)
    let version = try #require(try store.version("A", .int(0)))
    let patch = try store.patch("A", .int(0), #"{"n": 1}"#, .version([version]))
    let results = try await store.performTogether(Array(repeating: [patch], count: 20))
    #expect(results.count { (try? $0.get()) != nil } == 1)
    #expect(try store.object("A", .int(0)) == #"{"id":0,"n":1}"#)
  }

  @Test func `what succeeded where another one found the disk full is done once`() async throws {
    let store = try await TemporaryStore(Self.schema)
    try await store.create("A", #"{"id": 0, "n": 0}"#)
    var full = Transaction([try store.creation("A", #"{"id": 2, "n": 1}"#)])
    full.hook = CommitHook(needsObjects: false) { _ throws(StorageError) in throw StorageError.diskFull }
    let results = try await store.performTogether([
      Transaction([try store.creation("A", #"{"id": 1, "n": 1}"#)]), full,
      Transaction([.delete(objectType: "A", id: .int(0), precondition: .none)]),
    ])
    #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
    #expect(try store.page("A", QueryRequest()).objects == [#"{"id":1,"n":1}"#])
    #expect(try store.changes().changes.count == 4)
    #expect(try store.violations() == [])
  }
}
