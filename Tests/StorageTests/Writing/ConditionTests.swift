import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Synchronization
import Testing

/// Transactions that may only touch objects for which something holds.
@Suite struct ConditionTests {
  private static let schema = """
    [{"name": "A", "primaryKey": "id", "properties": {"id": "int", "owner": "string", "n": "int", \
    "tags": "string[]", "other": "A?"}}]
    """

  private func store() async throws -> TemporaryStore {
    let store = try await TemporaryStore(Self.schema)
    try await store.create("A", #"{"id": 1, "owner": "me", "n": 0, "other": null}"#)
    try await store.create("A", #"{"id": 2, "owner": "you", "n": 0}"#)
    try await store.create("A", #"{"id": 3, "owner": "all", "n": 0, "other": 2}"#)
    return store
  }

  private func predicate(_ filter: String, _ store: TemporaryStore) throws -> Predicate {
    try Plan(request: QueryRequest(filter: filter), schema: store.store.schema, objectType: "A").predicate
  }

  /// Returns the outcome of operations of a caller who sees their own and public objects, and may change their own.
  private func outcome(_ operations: [Operation], in store: TemporaryStore) async throws -> String {
    var transaction = Transaction(operations)
    let condition = ObjectCondition(
      visible: try predicate("owner IN {'me', 'all'}", store), writable: try predicate("owner == 'me'", store)
    )
    transaction.rights.conditions = ["A": condition]
    do throws(OperationError) {
      return "\(try await store.store.perform(transaction).results.map(\.effect.rawValue))"
    } catch {
      switch error.reason {
      case .objectExists: return "\(error.operation) exists"
      case .objectNotFound: return "\(error.operation) not found"
      case .notPermitted: return "\(error.operation) not permitted"
      default: return "\(error)"
      }
    }
  }

  @Test(arguments: [(1, #"["updated"]"#), (2, "0 not found"), (3, "0 not permitted")])
  func `an object may be changed as the condition says`(id: Int64, expected: String) async throws {
    let store = try await store()
    let before = try store.object("A", .int(id))
    #expect(try await outcome([store.patch("A", .int(id), #"{"n": 5}"#)], in: store) == expected)
    let replacement = try store.replacement("A", .int(id), #"{"id": \#(id), "owner": "me", "n": 6}"#)
    // The key is taken, for whoever would make an object with it.
    let made = expected.replacing("not found", with: "exists")
    #expect(try await outcome([replacement], in: store) == made)
    let upsert = try store.creation("A", #"{"id": \#(id), "n": 7}"#, .modified)
    #expect(try await outcome([upsert], in: store) == made)
    let type = try store.type("A")
    let path = try ResourcePath(["tags"], of: type, in: store.store.schema)
    let change = Operation.change(
      objectType: "A", id: .int(id), path: path, change: .assign(.list([.value(.string("x"))])),
      precondition: .none)
    #expect(try await outcome([change], in: store) == expected)
    if id != 1 { #expect(try store.object("A", .int(id)) == before) }
    let deletion = Operation.delete(objectType: "A", id: .int(id), precondition: .none)
    let deleted = expected.replacing("updated", with: "deleted")
    #expect(try await outcome([deletion], in: store) == deleted)
  }

  @Test(arguments: [Operation.Precondition.none, .version([1, 2, 3, 99]), .exists, .absent])
  func `a precondition finds an object that is not shown no more than one that is not there`(
    precondition: Operation.Precondition
  ) async throws {
    let store = try await store()
    func deletion(_ id: Int64) -> Operation {
      .delete(objectType: "A", id: .int(id), precondition: precondition)
    }
    let hidden = try await outcome([deletion(2)], in: store)
    #expect(try await outcome([deletion(99)], in: store) == hidden)
  }

  @Test func `an object must be as the condition says when all is done`() async throws {
    let store = try await store()
    let mine = try store.creation("A", #"{"id": 4, "owner": "me", "n": 0}"#)
    let yours = try store.creation("A", #"{"id": 5, "owner": "you", "n": 0}"#)
    #expect(try await outcome([mine, yours], in: store) == "1 not permitted")
    #expect(try store.counts() == ["A": 3])
    let given = try store.patch("A", .int(1), #"{"owner": "you"}"#)
    #expect(try await outcome([given], in: store) == "0 not permitted")
    let taken = try store.patch("A", .int(1), #"{"owner": "me", "n": 3}"#)
    #expect(try await outcome([given, taken], in: store) == "1 not found")
    let gone = Operation.delete(objectType: "A", id: .int(4), precondition: .none)
    #expect(try await outcome([mine, gone], in: store) == #"["created", "deleted"]"#)
  }

  @Test func `a place behind a link belongs to the object that it leads to`() async throws {
    let store = try await store()
    let path = try ResourcePath(["other", "n"], of: store.type("A"), in: store.store.schema)
    let change = Operation.change(
      objectType: "A", id: .int(3), path: path, change: .assign(.value(.int(1))), precondition: .none)
    #expect(try await outcome([change], in: store) == "0 not found")
  }

  @Test func `changes of many change none where one may not be changed`() async throws {
    let store = try await store()
    let plan = try Plan(
      request: QueryRequest(filter: "id IN {1, 3}"), schema: store.store.schema, objectType: "A")
    #expect(try await outcome([.each(plan, .delete)], in: store) == "0 not permitted")
    #expect(try store.counts() == ["A": 3])
  }

  @Test func `a load is held to its conditions`() async throws {
    let store = try await store()
    let condition = ObjectCondition(visible: .always, writable: try predicate("owner == 'me'", store))
    for (owner, isFine) in [("me", true), ("you", false)] {
      let operation = try store.creation("A", #"{"id": 9, "owner": "\#(owner)", "n": 0}"#)
      let once = Once([operation])
      do {
        _ = try await store.store.load(idempotency: nil, rights: WriteRights(conditions: ["A": condition])) {
          once.take()
        }
        #expect(isFine)
        try await store.perform(.delete(objectType: "A", id: .int(9), precondition: .none))
      } catch let error as OperationError {
        #expect(!isFine)
        #expect(error.reason == .notPermitted(objectType: "A", id: .int(9)))
      }
    }
  }

  @Test(arguments: [("owner == 'me'", true), ("owner == 'you'", false), ("n == 0", true)])
  func `an object is read where the condition holds`(filter: String, isThere: Bool) async throws {
    let store = try await store()
    let condition = try predicate(filter, store)
    var bytes: [UInt8] = []
    let version = try store.reading.object(
      "A", id: .int(1), projection: nil, where: condition, as: .json, into: &bytes)
    #expect((version != nil) == isThere && bytes.isEmpty == !isThere)
    #expect((try store.reading.version("A", id: .int(1), where: condition) != nil) == isThere)
  }
}

/// Gives something once.
private final class Once: Sendable {
  private let operations: Mutex<[Operation]?>

  init(_ operations: [Operation]) {
    self.operations = Mutex(operations)
  }

  func take() -> [Operation]? {
    operations.withLock { operations in
      defer { operations = nil }
      return operations
    }
  }
}
