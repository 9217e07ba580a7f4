extension Writer {
  /// False where a record is not as expected; then nothing was done.
  func keep(_ changes: [RecordChange]) -> Result<Bool, StorageError> {
    let table = RecordTable(session.reading)
    do throws(StorageError) {
      try execute("BEGIN IMMEDIATE")
      for change in changes {
        guard try table.meets(change) else {
          try execute("ROLLBACK")
          return .success(false)
        }
        try table.perform(change)
      }
      try execute("COMMIT")
      published.update { $0.failure = nil }
      return .success(true)
    } catch {
      rollBack(to: session.counters, version)
      note(Result<Void, OperationError>.failure(OperationError(operation: 0, reason: error)))
      return .failure(error)
    }
  }
}
