import BSON
import Model
import SQLite

extension WriteSession {
  /// Performs the operations inside the SQLite transaction or savepoint that is open. If they change anything,
  /// the commit's version is the one after `last`.
  func perform(
    _ transaction: Transaction, after last: Int64, clock: () -> Date
  ) throws(OperationError) -> Commit {
    begin(version: last + 1)
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(transaction.operations.count)
    for operation in transaction.operations {
      outcomes.append(try performNext(operation))
    }
    let changed = try finish(clock)
    do throws(StorageError) {
      return Commit(
        version: changed.isEmpty ? last : version,
        results: try results(outcomes, changed, returning: transaction.returning))
    } catch {
      throw OperationError(operation: 0, reason: error)
    }
  }

  /// Like ``perform(_:after:clock:)``, for operations that come piece by piece and give no results.
  func load(_ next: Writer.Load, after last: Int64, clock: () -> Date) throws(OperationError) -> Int64 {
    begin(version: last + 1)
    while let operations = try piece(next) {
      for operation in operations { _ = try performNext(operation) }
    }
    return try finish(clock).isEmpty ? last : version
  }

  private func piece(_ next: Writer.Load) throws(OperationError) -> [Operation]? {
    do { return try next() } catch { throw OperationError(operation: operation, reason: .cancelled) }
  }

  private func performNext(_ next: Operation) throws(OperationError) -> Outcome {
    defer { operation += 1 }
    do throws(StorageError) { return try perform(next) } catch {
      throw OperationError(operation: operation, reason: error)
    }
  }

  private func finish(_ clock: () -> Date) throws(OperationError) -> Set<ChangeRecorder.Subject> {
    if let missingTarget { throw missingTarget }
    do throws(StorageError) {
      let changed = try finish()
      if !changed.isEmpty { try log.appendCommit(version, time: clock().storedText) }
      return changed
    } catch {
      throw OperationError(operation: 0, reason: error)
    }
  }

  private func results(
    _ outcomes: [Outcome], _ changed: Set<ChangeRecorder.Subject>, returning representation: Representation?
  ) throws(StorageError) -> [Commit.Result] {
    var results: [Commit.Result] = []
    results.reserveCapacity(outcomes.count)
    for outcome in outcomes {
      // What one operation alone did needs no second look.
      let isKnown = outcomes.count == 1 && outcome.effect != .deleted && changed.contains(outcome.subject)
      let version = isKnown ? self.version : try currentVersion(outcome)
      var object: [UInt8]?
      if let representation, version != nil {
        object = try reader(outcome.subject.table).bytes(of: outcome.subject.key, as: representation)
      }
      results.append(
        Commit.Result(
          effect: effect(outcome, changed), id: outcome.id, objectVersion: version ?? self.version,
          object: object))
    }
    return results
  }

  private func effect(_ outcome: Outcome, _ changed: Set<ChangeRecorder.Subject>) -> Commit.Result.Effect {
    outcome.effect == .updated && !changed.contains(outcome.subject) ? .unchanged : outcome.effect
  }

  /// The object's version after the transaction; nil where it is gone.
  private func currentVersion(_ outcome: Outcome) throws(StorageError) -> Int64? {
    if outcome.effect == .deleted { return nil }
    let statement = try statements[outcome.subject.table][.version]
    statement.bind(outcome.subject.key, at: 1)
    return try reading.integer(statement)
  }
}
