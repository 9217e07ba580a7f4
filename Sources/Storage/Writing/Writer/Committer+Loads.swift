extension Committer {
  /// Performs a long transaction whose operations come piece by piece.
  func commitLoad(_ load: BulkLoad) -> Result<Commit, OperationError> {
    performOnFullDisk(isDeletion: false) { connection.withLargeCache { result(of: load) } }
  }

  private func result(of load: BulkLoad) -> Result<Commit, OperationError> {
    let before = mark
    do throws(OperationError) {
      try located { () throws(StorageError) in try begin() }
      let result = try perform(load)
      try located { () throws(StorageError) in try commit() }
      didCommit()
      return .success(result)
    } catch {
      rollBack(to: before)
      publish(error.reason)
      return .failure(error)
    }
  }

  private func located(_ body: () throws(StorageError) -> Void) throws(OperationError) {
    do throws(StorageError) { try body() } catch { throw OperationError(operation: 0, reason: error) }
  }
}
