import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import Testing

@testable import GatehouseStorage

/// Transactions that may not add to objects of which there are as many as may be, held against a model.
@Suite struct QuotaTests {
  /// An object of the model.
  private struct Item: Hashable {
    var owner: String
    var text: String?
    var tags: [String] = []
    /// The text of the embedded object.
    var part: String?

    /// The bytes of the object as the change log writes it.
    func size(_ id: Int64) -> Int {
      var bytes: [UInt8] = []
      let part = part.map { Mixed.dictionary([Mixed.Entry(key: "text", value: .string($0))]) }
      MixedCoding.append(
        .dictionary([
          Mixed.Entry(key: "id", value: .int(id)), Mixed.Entry(key: "owner", value: .string(owner)),
          Mixed.Entry(key: "part", value: part ?? .null),
          Mixed.Entry(key: "tags", value: .list(tags.map { .string($0) })),
          Mixed.Entry(key: "text", value: text.map { .string($0) } ?? .null),
        ]), to: &bytes)
      return bytes.count
    }
  }

  /// All objects, and what quotas say of them.
  private struct Model {
    var items: [Int64: Item] = [:]

    func usage(of owner: String?) -> Usage {
      var usage = Usage()
      for (id, item) in items where owner == nil || item.owner == owner {
        usage = usage + Usage(objects: 1, bytes: item.size(id))
      }
      return usage
    }
  }

  private static func schema(isIndexed: Bool) -> String {
    """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","owner":{"type":"string","indexed":\(isIndexed)},
      "part":"Part?","tags":"string[]","text":"string?"}},
     {"name":"Part","embedded":true,"properties":{"text":"string?"}}]
    """
  }

  private static let owners = ["u0", "u1", "u2", "u3"]

  /// A caller: an owner with a quota, or an operator, who has none.
  private struct Caller {
    let owner: String?
    let quota: ObjectQuota?
    /// Beside the equality of the owner.
    let condition: String

    func conditions(in store: TemporaryStore) throws -> [String: ObjectCondition] {
      guard let owner else { return [:] }
      let plan = try Plan(
        request: QueryRequest(filter: condition, arguments: [.string(owner)]), schema: store.store.schema,
        objectType: "A")
      return ["A": ObjectCondition(visible: .always, writable: plan.predicate, quota: quota)]
    }

    /// The excess that is refused, by the model.
    func excess(from before: Model, to after: Model) -> QuotaExcess? {
      guard let owner, let quota else { return nil }
      let (before, after) = (before.usage(of: owner), after.usage(of: owner))
      if let allowed = quota.objects, after.objects > allowed, after.objects > before.objects {
        return QuotaExcess(objectType: "A", .objects, used: before.objects, allowed: allowed)
      }
      if let allowed = quota.bytes, after.bytes > allowed, after.bytes > before.bytes {
        return QuotaExcess(objectType: "A", .bytes, used: before.bytes, allowed: allowed)
      }
      return nil
    }
  }

  /// Makes random operations, and does to a model what they do to the store.
  private struct Script {
    let store: TemporaryStore
    var random: SeededGenerator

    mutating func text() -> String { String(repeating: "x", count: Int.random(in: 0..<40, using: &random)) }

    /// Returns an operation of a caller on the model; nil: there is nothing to do it to.
    mutating func operation(of caller: Caller, on model: inout Model) throws -> Operation? {
      let owner = caller.owner ?? QuotaTests.owners.randomElement(using: &random) ?? "u0"
      let own = model.items.filter { caller.owner == nil || $0.value.owner == owner }.keys.sorted()
      let id = own.randomElement(using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3:
        let new = Int64.random(in: 0..<10_000, using: &random)
        guard model.items[new] == nil else { return nil }
        let item = Item(
          owner: owner, text: text(), tags: [text()], part: Bool.random(using: &random) ? text() : nil)
        model.items[new] = item
        let policy: Operation.UpdatePolicy = Bool.random(using: &random) ? .error : .modified
        return try store.creation("A", json(new, item), policy)
      case 4:
        guard let id, var item = model.items[id] else { return nil }
        (item.text, item.tags) = (text(), [])
        model.items[id] = item
        return try store.replacement("A", .int(id), json(id, item))
      case 5:
        guard let id else { return nil }
        let text = text()
        model.items[id]?.text = text
        return try store.patch("A", .int(id), #"{"text":"\#(text)"}"#)
      case 6:
        guard let id else { return nil }
        let text = text()
        model.items[id]?.tags.append(text)
        return try change(id, ["tags"], .insert([.value(.string(text))], at: nil))
      case 7:
        guard let id, model.items[id]?.part != nil else { return nil }
        let text = text()
        model.items[id]?.part = text
        return try change(id, ["part", "text"], .assign(.value(.string(text))))
      case 8, 9:
        guard let id else { return nil }
        model.items[id] = nil
        return .delete(objectType: "A", id: .int(id), precondition: .none)
      case 10:
        let text = text()
        for id in own where model.items[id]?.owner == owner { model.items[id]?.text = text }
        return .each(
          try plan(owner),
          .update(
            try store.type("A").patch(from: Value(json: #"{"text":"\#(text)"}"#), in: store.store.schema)))
      default:
        guard caller.owner == nil else {
          for id in own { model.items[id] = nil }
          return .each(try plan(owner), .delete)
        }
        // The operator gives away what somebody has.
        let other = QuotaTests.owners.randomElement(using: &random) ?? "u0"
        for (id, item) in model.items where item.owner == owner { model.items[id]?.owner = other }
        return .each(
          try plan(owner),
          .update(
            try store.type("A").patch(from: Value(json: #"{"owner":"\#(other)"}"#), in: store.store.schema)))
      }
    }

    private func json(_ id: Int64, _ item: Item) -> String {
      let part = item.part.map { #"{"text":"\#($0)"}"# } ?? "null"
      let tags = item.tags.map { #""\#($0)""# }.joined(separator: ",")
      return
        #"{"id":\#(id),"owner":"\#(item.owner)","part":\#(part),"tags":[\#(tags)],"text":"\#(item.text ?? "")"}"#
    }

    private func change(_ id: Int64, _ path: [String], _ change: PropertyChange) throws -> Operation {
      .change(
        objectType: "A", id: .int(id),
        path: try ResourcePath(path, of: store.type("A"), in: store.store.schema),
        change: change, precondition: .none)
    }

    private func plan(_ owner: String) throws -> Plan {
      try Plan(
        request: QueryRequest(filter: "owner == $0", arguments: [.string(owner)]), schema: store.store.schema,
        objectType: "A")
    }
  }

  /// Performs a transaction, and returns the model that it leaves.
  private func perform(
    _ operations: [Operation], of caller: Caller, from before: Model, to after: Model,
    in store: TemporaryStore
  ) async throws -> Model {
    var transaction = Transaction(operations)
    transaction.rights.conditions = try caller.conditions(in: store)
    let expected = caller.excess(from: before, to: after)
    do throws(OperationError) {
      _ = try await store.store.perform(transaction)
      #expect(expected == nil)
      return after
    } catch {
      guard case .quotaExceeded(let excess) = error.reason else { throw error }
      #expect(excess == expected)
      return before
    }
  }

  /// Quotas by objects, bytes or both; by the owner alone, with more to ask of each object, or by a rule that is counted
  /// each time.
  private static func callers(_ random: inout SeededGenerator) -> [Caller] {
    var callers = owners.map { owner in
      var quota = ObjectQuota(
        objects: Bool.random(using: &random) ? Int.random(in: 0..<6, using: &random) : nil,
        bytes: Bool.random(using: &random) ? Int.random(in: 0..<600, using: &random) : nil)
      quota.isLasting = Int.random(in: 0..<4, using: &random) > 0
      let condition =
        ["owner == $0", "owner == $0 AND id >= 0", "owner IN {$0, 'nobody'}"]
        .randomElement(using: &random) ?? ""
      return Caller(owner: owner, quota: quota, condition: condition)
    }
    callers.append(Caller(owner: nil, quota: nil, condition: ""))
    return callers
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `a transaction is refused where it adds to what is too much, and only there`(seed: UInt64) async throws
  {
    var random = SeededGenerator(seed: seed)
    let store = try await TemporaryStore(Self.schema(isIndexed: seed % 2 == 0))
    var script = Script(store: store, random: SeededGenerator(seed: seed + 100))
    var callers = Self.callers(&random)
    var model = Model()
    for step in 1...150 {
      // A new process, and new roles.
      if step % 40 == 0 { try await store.reopen() }
      if step % 30 == 0 { callers = Self.callers(&random) }
      let caller = callers[Int.random(in: 0..<callers.count, using: &random)]
      var (after, operations) = (model, [Operation]())
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if let operation = try script.operation(of: caller, on: &after) { operations.append(operation) }
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        // All of it is taken back.
        operations.append(.delete(objectType: "A", id: .int(-1), precondition: .none))
        var transaction = Transaction(operations)
        transaction.rights.conditions = try caller.conditions(in: store)
        await #expect(throws: OperationError.self) { try await store.store.perform(transaction) }
        continue
      }
      model = try await perform(operations, of: caller, from: model, to: after, in: store)
    }
    #expect(try store.count("A", QueryRequest()) == model.items.count)
    #expect(try store.violations() == [])
  }

  @Test func `transactions that share a commit count together, and what fails among them counts for nothing`()
    async throws
  {
    let store = try await TemporaryStore(Self.schema(isIndexed: true))
    let caller = Caller(owner: "u1", quota: ObjectQuota(objects: 25), condition: "owner == $0")
    let conditions = try caller.conditions(in: store)
    for round in 0..<4 as Range<Int64> {
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<40 as Range<Int64> {
          let id = round * 100 + number
          guard let creation = try? store.creation("A", #"{"id":\#(id),"owner":"u1"}"#) else { continue }
          var transaction = Transaction([creation])
          transaction.rights.conditions = conditions
          // One in four fails after its first change.
          if number % 4 == 0 {
            transaction.operations.append(.delete(objectType: "A", id: .int(-1), precondition: .none))
          }
          group.addTask { [transaction, store = store.store] in
            await (try? store.perform(transaction)) != nil
          }
        }
        var outcomes = 0
        for await isDone in group where isDone { outcomes += 1 }
        return outcomes
      }
      #expect(outcomes == (round == 0 ? 25 : 5))
      #expect(try store.count("A", QueryRequest()) == 25)
      // The operator makes room for five more.
      let plan = try Plan(
        request: QueryRequest(filter: "TRUEPREDICATE LIMIT(5)"), schema: store.store.schema, objectType: "A")
      _ = try await store.perform(.each(plan, .delete))
    }
  }

  @Test func `a schema that changes does not lose count`() async throws {
    let store = try await TemporaryStore(Self.schema(isIndexed: true))
    let caller = Caller(owner: "u1", quota: ObjectQuota(objects: 2), condition: "owner == $0")
    func create(_ id: Int64) async throws -> Bool {
      var transaction = Transaction([try store.creation("A", #"{"id":\#(id),"owner":"u1"}"#)])
      transaction.rights.conditions = try caller.conditions(in: store)
      do throws(OperationError) { _ = try await store.store.perform(transaction) } catch {
        let excess = QuotaExcess(objectType: "A", .objects, used: 2, allowed: 2)
        #expect(error == OperationError(operation: 0, reason: .quotaExceeded(excess)))
        return false
      }
      return true
    }
    #expect(try await create(1))
    _ = try await store.apply(Self.schema(isIndexed: false))
    #expect(try await create(2))
    #expect(try await !create(3))
  }

  @Test func `a load is held against a quota when it ends`() async throws {
    let store = try await TemporaryStore(Self.schema(isIndexed: true))
    let caller = Caller(owner: "u1", quota: ObjectQuota(objects: 1500), condition: "owner == $0")
    let conditions = try caller.conditions(in: store)
    func load(_ ids: Range<Int64>) async throws -> QuotaExcess? {
      let operations = try ids.map { try store.creation("A", #"{"id":\#($0),"owner":"u1"}"#) }
      let pieces = Pieces(
        stride(from: 0, to: operations.count, by: 100).map {
          Array(operations[$0..<min($0 + 100, operations.count)])
        })
      do throws(OperationError) {
        _ = try await store.store.load(idempotency: nil, rights: WriteRights(conditions: conditions)) {
          pieces.next()
        }
        return nil
      } catch {
        guard case .quotaExceeded(let excess) = error.reason else { throw error }
        return excess
      }
    }
    #expect(try await load(0..<1000) == nil)
    #expect(try await load(1000..<2000) == QuotaExcess(objectType: "A", .objects, used: 1000, allowed: 1500))
    #expect(try store.count("A", QueryRequest()) == 1000)
    #expect(try await load(1000..<1500) == nil)
  }
}
