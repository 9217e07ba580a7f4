import SQLite

extension Writer {
  /// One long transaction.
  struct Load: Sendable {
    let idempotency: IdempotencyRecord?
    let generation: Int64?
    let conditions: [String: ObjectCondition]
    let hook: CommitHook?
    /// Asks for an end before the commit.
    let interruption: Interruption
    /// Gives the operations piece by piece; nil at the end.
    let next: @Sendable () throws -> [Operation]?
  }

  func commit(_ load: Load) -> Result<Commit, OperationError> {
    let before = (counters: session.counters, version: version)
    do throws(OperationError) {
      try asOperation { () throws(StorageError) in try execute("BEGIN IMMEDIATE") }
      let commit = try session.load(load, after: version, clock: clock)
      version = commit.version
      try asOperation { () throws(StorageError) in
        try storeCounters()
        try execute("COMMIT")
      }
      publish()
      maintenance.didCommit(on: connection)
      return .success(commit)
    } catch {
      rollBack(to: before.counters, before.version)
      note(Result<Void, OperationError>.failure(error))
      return .failure(error)
    }
  }
}
