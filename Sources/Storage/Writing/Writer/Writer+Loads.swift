import SQLite

extension Writer {
  /// Performs a long transaction whose operations come piece by piece.
  func commit(_ load: BulkLoad) -> Result<Commit, OperationError> {
    let before = (counters: current.counters, version: version)
    do throws(OperationError) {
      try asOperation { () throws(StorageError) in try execute("BEGIN IMMEDIATE") }
      let commit = try current.load(load, after: version, clock: clock)
      version = commit.version
      try asOperation { () throws(StorageError) in
        try current.storeCounters()
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
