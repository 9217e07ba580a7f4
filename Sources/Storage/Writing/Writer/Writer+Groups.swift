import CMemory
import SQLite

extension Writer {
  /// Performs them in one SQLite transaction, so that they share one fsync.
  func commit(_ group: [(Transaction, UnsafeContinuation<Result<Commit, OperationError>, Never>)]) {
    guard !group.isEmpty else { return }
    let results = resultsWithReserve(of: group.map(\.0))
    for result in results { note(result) }
    for (index, item) in group.enumerated() { item.1.resume(returning: results[index]) }
    maintenance.didCommit(on: connection)
  }

  /// Performs one that may take long.
  func commitAlone(
    _ transaction: Transaction, _ continuation: UnsafeContinuation<Result<Commit, OperationError>, Never>
  ) {
    guard transaction.isBulk else { return commit([(transaction, continuation)]) }
    withLargeCache { commit([(transaction, continuation)]) }
  }

  /// Does what may touch very many objects with room for their pages, and gives the memory back afterwards.
  ///
  /// Pages that do not fit are written to the log, and read from there, again and again.
  func withLargeCache<Result>(_ body: () -> Result) -> Result {
    let changes = connection.totalChanges
    try? connection.execute("PRAGMA cache_size = -131072")
    let result = body()
    try? connection.execute("PRAGMA cache_size = \(DatabaseFile.cacheSize)")
    if connection.totalChanges - changes > 10_000 {
      try? connection.execute("PRAGMA shrink_memory")
      // What the C library keeps for later is as good as lost to everybody else.
      memory_trim()
    }
    return result
  }

  /// Where the disk is full deletions are performed by themselves.
  private func resultsWithReserve(of group: [Transaction]) -> [Result<Commit, OperationError>] {
    if !reserve.isSpent {
      let results = results(of: group)
      let isFull = results.contains {
        if case .failure(let error) = $0 { error.reason == .diskFull } else { false }
      }
      guard isFull, group.contains(where: \.isDeletion) else { return results }
    }
    return group.map { transaction in
      performWithReserve(isDeletion: transaction.isDeletion) { results(of: [transaction])[0] }
    }
  }

  private func results(of group: [Transaction]) -> [Result<Commit, OperationError>] {
    let before = (counters: current.counters, version: version)
    do throws(StorageError) {
      var results: [Result<Commit, OperationError>] = []
      try execute("BEGIN IMMEDIATE")
      for (index, transaction) in group.enumerated() {
        let (result, isHalfDone) = try performInGroup(transaction)
        results.append(result)
        guard isHalfDone else { continue }
        // The others begin anew, this time in savepoints. What failed is not tried again: it may have taken long.
        rollBack(to: before.counters, before.version)
        _ = current.takeChangedTables()
        try execute("BEGIN IMMEDIATE")
        results = []
        for (place, transaction) in group.enumerated() {
          results.append(place == index ? result : try performInSavepoint(transaction))
        }
        break
      }
      try current.storeCounters()
      try execute("COMMIT")
      publish()
      return results
    } catch {
      rollBack(to: before.counters, before.version)
      _ = current.takeChangedTables()
      let failure = OperationError(operation: 0, reason: error)
      return group.map { _ in .failure(failure) }
    }
  }

  /// Performs a transaction; returns its result, and whether it failed after it had changed something.
  ///
  /// Most that fail do so before their first change, and in a savepoint SQLite copies every page that is about to
  /// change: a tenth of a small write.
  private func performInGroup(
    _ transaction: Transaction
  ) throws(StorageError) -> (result: Result<Commit, OperationError>, isHalfDone: Bool) {
    let before = (counters: current.counters, changes: connection.totalChanges)
    do throws(OperationError) {
      let commit = try current.perform(transaction, after: version, clock: clock)
      version = max(version, commit.version)
      return (.success(commit), false)
    } catch {
      guard connection.isInTransaction else { throw error.reason }
      guard connection.totalChanges == before.changes else { return (.failure(error), true) }
      current.restore(before.counters, version)
      return (.failure(error), false)
    }
  }

  /// One that fails fails alone.
  private func performInSavepoint(
    _ transaction: Transaction
  ) throws(StorageError) -> Result<Commit, OperationError> {
    let before = current.counters
    try execute("SAVEPOINT request")
    let commit: Commit
    do throws(OperationError) {
      commit = try current.perform(transaction, after: version, clock: clock)
    } catch {
      // A full disk or an I/O error may have ended the whole transaction already.
      guard connection.isInTransaction else { throw error.reason }
      try execute("ROLLBACK TO request")
      try execute("RELEASE request")
      current.restore(before, version)
      return .failure(error)
    }
    version = max(version, commit.version)
    try execute("RELEASE request")
    return .success(commit)
  }
}
