import GatehouseQuery

/// A query of a class whose objects are divided among stores, in one of them.
struct ShardPart: Sendable {
  let call: Call
  let data: DataAccess
  var plan: Plan
  /// Whether what is read of it is recorded when it is shown.
  var isRecorded = true
}

extension [ShardPart] {
  /// The most that are read at once: what they read is held until the others have come.
  private static var most: Int { 8 }

  /// Returns what `body` reads of each, in their order: some at once, as far as a thread of the store's is needed for it.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (ShardPart) async throws -> Answer
  ) async throws -> [Answer] {
    guard count > 1 else { return isEmpty ? [] : [try await body(self[0])] }
    return try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
      var rest = enumerated().makeIterator()
      func addTask(_ group: inout ThrowingTaskGroup<(Int, Answer), any Error>) {
        guard let (index, part) = rest.next() else { return }
        group.addTask { (index, try await body(part)) }
      }
      for _ in 0..<Self.most { addTask(&group) }
      var answers = [Answer?](repeating: nil, count: count)
      while let (index, answer) = try await group.next() {
        answers[index] = answer
        addTask(&group)
      }
      let found = answers.compactMap(\.self)
      precondition(found.count == count, "each store has answered")
      return found
    }
  }
}
