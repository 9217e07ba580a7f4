import GatehouseQuery

/// A query of a class whose objects are divided among stores, in one of them.
struct ShardPart: Sendable {
  let call: Call
  let data: DataAccess
  var plan: Plan
}

extension [ShardPart] {
  /// Returns what `body` reads of each, in their order: at once, as far as a thread of the store's is needed for it.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (ShardPart) async throws -> Answer
  ) async throws -> [Answer] {
    guard count > 1 else { return isEmpty ? [] : [try await body(self[0])] }
    return try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
      for (index, part) in enumerated() { group.addTask { (index, try await body(part)) } }
      var answers = [Answer?](repeating: nil, count: count)
      for try await (index, answer) in group { answers[index] = answer }
      return answers.compactMap(\.self)
    }
  }
}
