import BSON
import Model
import SQLite

extension WriteTransaction {
  /// Performs the operations inside the SQLite transaction or savepoint that is open. If they change anything,
  /// the commit's version is the one after `last`.
  func perform(
    _ transaction: Transaction, after last: Int64, clock: () -> Date
  ) throws(OperationError) -> Commit {
    begin(version: last + 1, conditions: transaction.conditions, until: transaction.interruption)
    let needsObjects = transaction.hook?.needsObjects == true
    embeddedBefore = needsObjects ? [:] : nil
    settlesEarly = transaction.operations.count == 1 && !needsObjects && !transaction.isPrivileged
    try check(transaction.generation)
    if let commit = try repeated(transaction.idempotency, last, clock) { return commit }
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(transaction.operations.count)
    for operation in transaction.operations {
      outcomes.append(try performNext(operation))
    }
    try approve()
    let changed = try finish(clock, transaction)
    do throws(StorageError) {
      let commit = Commit(
        version: hasChanged ? version : last,
        results: try results(outcomes, changed, returning: transaction.returning))
      try issue(transaction.idempotency, for: commit, clock)
      return commit
    } catch {
      throw OperationError(operation: 0, reason: error)
    }
  }

  /// Like ``perform(_:after:clock:)``, for operations that come piece by piece and give no results.
  func load(
    _ load: Writer.Load, after last: Int64, clock: () -> Date
  ) throws(OperationError) -> Commit {
    begin(version: last + 1, conditions: load.conditions, until: load.interruption)
    embeddedBefore = load.hook?.needsObjects == true ? [:] : nil
    try check(load.generation)
    let idempotency = load.idempotency
    if let commit = try repeated(idempotency, last, clock) { return commit }
    var onlyCreates = true
    let pieces = ReadAhead(load.next)
    while let operations = try piece(pieces) {
      for operation in operations {
        onlyCreates = onlyCreates && operation.isCreation
        _ = try performNext(operation)
      }
      guard onlyCreates, awaited.isEmpty else { continue }
      try approve()
      try flush(load.hook)
    }
    try approve()
    var rest = Transaction([])
    rest.hook = load.hook
    _ = try finish(clock, rest)
    let commit = Commit(version: hasChanged ? version : last, results: [])
    try located { () throws(StorageError) in try issue(idempotency, for: commit, clock) }
    return commit
  }

  private func repeated(
    _ idempotency: IdempotencyRecord?, _ last: Int64, _ clock: () -> Date
  ) throws(OperationError) -> Commit? {
    guard let idempotency else { return nil }
    return try located { () throws(StorageError) in
      try answer(to: idempotency, clock()).map { Commit(version: last, results: [], repeated: $0) }
    }
  }

  func located<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(OperationError) -> Result {
    do throws(StorageError) { return try body() } catch { throw OperationError(operation: 0, reason: error) }
  }

  /// What was made for another schema may name properties by places that are others' now.
  private func check(_ generation: Int64?) throws(OperationError) {
    guard generation == nil || generation == catalog.generation else {
      throw OperationError(operation: 0, reason: .schemaChanged)
    }
  }

  private func piece(_ pieces: ReadAhead) throws(OperationError) -> [Operation]? {
    do { return try pieces.next() } catch { throw OperationError(operation: operation, reason: .cancelled) }
  }

  private func performNext(_ next: Operation) throws(OperationError) -> Outcome {
    recorder.operation = operation
    defer { operation += 1 }
    do throws(StorageError) {
      try deadline.check()
      return try perform(next)
    } catch {
      throw OperationError(operation: operation, reason: error)
    }
  }

  private func finish(
    _ clock: () -> Date, _ transaction: Transaction
  ) throws(OperationError) -> Set<RowAddress> {
    if let missingTarget { throw missingTarget }
    try located { () throws(StorageError) in
      if !transaction.isPrivileged { try checkGuards() }
      try perform(transaction.hook)
    }
    let changed = try finish()
    try located { () throws(StorageError) in
      if hasChanged { try log.appendCommit(version, time: clock()) }
    }
    return changed
  }

  private func results(
    _ outcomes: [Outcome], _ changed: Set<RowAddress>, returning representation: Representation?
  ) throws(StorageError) -> [Commit.Result] {
    var results: [Commit.Result] = []
    results.reserveCapacity(outcomes.count)
    for outcome in outcomes {
      // What one operation alone did needs no second look.
      let isAlone = outcomes.count == 1 && outcome.effect != .deleted
      let isKnown = isAlone && outcome.subject.map { changed.contains($0) } == true
      let version = isKnown ? self.version : try currentVersion(outcome)
      var object: [UInt8]?
      if let representation, version != nil, let subject = outcome.subject {
        object = try answer(subject, as: representation)
      }
      results.append(
        Commit.Result(
          effect: effect(outcome, changed), id: outcome.id, count: outcome.count,
          objectVersion: version ?? self.version, object: object))
    }
    return results
  }

  private func effect(_ outcome: Outcome, _ changed: Set<RowAddress>) -> Commit.Result.Effect {
    guard outcome.effect == .updated, let subject = outcome.subject else { return outcome.effect }
    return changed.contains(subject) ? .updated : .unchanged
  }

  /// The object's version after the transaction; nil where it is gone.
  private func currentVersion(_ outcome: Outcome) throws(StorageError) -> Int64? {
    guard outcome.effect != .deleted, let subject = outcome.subject else { return nil }
    let statement = try statements[subject.table][.version]
    statement.bind(subject.key, at: 1)
    return try reading.integer(statement)
  }
}

extension Operation {
  /// Whether it makes an object that was not there before, and so touches no other.
  fileprivate var isCreation: Bool {
    if case .create(_, _, .error) = self { true } else { false }
  }
}
