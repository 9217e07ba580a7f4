import GatehouseAccess
import Synchronization
import Testing

@testable import GatehouseAPI

/// The transactions that a node performs for functions of other nodes.
@Suite struct ForwardedTransactionTests {
  private let caller = Principal(.key(id: "a"), role: .administrator)

  @Test func `a transaction is begun once, goes on for who has begun it, and ends`() throws {
    let transactions = ForwardedTransactions()
    let begun = try transactions.transaction(ForwardedTransactionPart("1", .begin), by: caller)
    #expect(begun.id == "1")
    let other = Principal(.key(id: "b"), role: .administrator)
    #expect(throws: FunctionTransactionError.otherRights) {
      try transactions.transaction(ForwardedTransactionPart("1", .proceed), by: other)
    }
    #expect(try transactions.transaction(ForwardedTransactionPart("1", .proceed), by: caller) === begun)
    for part in [ForwardedTransactionPart("2", .proceed), ForwardedTransactionPart("2", .end)] {
      #expect(throws: FunctionTransactionError.noTransaction) {
        try transactions.transaction(part, by: caller)
      }
    }
    transactions.end("1")
    #expect(throws: FunctionTransactionError.noTransaction) {
      try transactions.transaction(ForwardedTransactionPart("1", .proceed), by: caller)
    }
  }

  @Test func `transactions of which nothing is heard for a minute end, and there are so many at most`() throws
  {
    let now = Mutex<UInt64>(0)
    let transactions = ForwardedTransactions { now.withLock(\.self) }
    for number in 0..<ForwardedTransactions.mostOpen {
      _ = try transactions.transaction(ForwardedTransactionPart("\(number)", .begin), by: caller)
    }
    let more = ForwardedTransactionPart("more", .begin)
    #expect(throws: FunctionTransactionError.tooMany) { try transactions.transaction(more, by: caller) }
    now.withLock { $0 = 30_000_000_000 }
    let used = ForwardedTransactionPart("7", .proceed)
    _ = try transactions.transaction(used, by: caller)
    now.withLock { $0 = 60_000_000_001 }
    transactions.expire()
    _ = try transactions.transaction(used, by: caller)
    _ = try transactions.transaction(more, by: caller)
    #expect(throws: FunctionTransactionError.noTransaction) {
      try transactions.transaction(ForwardedTransactionPart("8", .proceed), by: caller)
    }
  }

  @Test(arguments: ["", "a", "a;", "a;b", "a;begin;c"])
  func `a field that is no part of a transaction is none`(field: String) {
    #expect(ForwardedTransactionPart(field: field) == nil)
  }

  @Test(arguments: [ForwardedTransactionPart.Step.begin, .proceed, .end])
  func `a part of a transaction is read as it was written`(step: ForwardedTransactionPart.Step) throws {
    let part = try #require(ForwardedTransactionPart(field: ForwardedTransactionPart("a", step).field))
    #expect(part.id == "a" && part.step == step)
  }
}
