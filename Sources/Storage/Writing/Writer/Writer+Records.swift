extension Writer {
  /// Like ``keep(_:)``, with the reserve where records are only removed.
  func keepWithReserve(_ changes: [RecordChange]) -> Result<Bool, StorageError> {
    let isDeletion = changes.allSatisfy { $0.value == nil }
    return performWithReserve(isDeletion: isDeletion) {
      keep(changes).mapError { OperationError(operation: 0, reason: $0) }
    }.mapError(\.reason)
  }

  /// False where a record is not as expected; then nothing was done.
  func keep(_ changes: [RecordChange]) -> Result<Bool, StorageError> {
    let table = RecordTable(current.session)
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
      view.published.update { [reserve] in $0.failure = reserve.isSpent ? .diskFull : nil }
      return .success(true)
    } catch {
      rollBack(to: current.counters, version)
      note(Result<Void, OperationError>.failure(OperationError(operation: 0, reason: error)))
      return .failure(error)
    }
  }
}
