extension Committer {
  /// Changes records, with the reserve where they are only removed. False where one is not as expected; then nothing
  /// was done.
  func keep(_ changes: [RecordChange]) -> Result<Bool, StorageError> {
    performOnFullDisk(isDeletion: changes.allSatisfy { $0.value == nil }) {
      result(of: changes).mapError { OperationError(operation: 0, reason: $0) }
    }.mapError(\.reason)
  }

  /// Changes records in the transaction that is open; throws ``StorageError/schemaChanged`` where one is not as expected.
  func keepWithTransaction(_ changes: [RecordChange]) throws(StorageError) {
    let table = RecordTable(session)
    for change in changes {
      guard try table.meets(change) else { throw .schemaChanged }
      try table.perform(change)
    }
  }

  private func result(of changes: [RecordChange]) -> Result<Bool, StorageError> {
    let table = RecordTable(session)
    let before = mark
    do throws(StorageError) {
      try begin()
      for change in changes {
        guard try table.meets(change) else {
          rollBack(to: before)
          return .success(false)
        }
        try table.perform(change)
      }
      try commitQuietly()
      return .success(true)
    } catch {
      rollBack(to: before)
      publish(error)
      return .failure(error)
    }
  }
}
