import GatehouseSQLite

// One state of the file, of which all reads are
extension ReadSession {
  /// Holds the state that the file has now. From then on reads are of that, or fail.
  func begin() throws(StorageError) {
    try run(TransactionStatements.beginReading)
    didBegin()
  }

  /// Lets go of the state, if one is held.
  func end() {
    guard isHeld else { return }
    willEnd()
    if connection.isInTransaction { try? run(TransactionStatements.commit) }
    if connection.isInTransaction { try? run(TransactionStatements.rollBack) }
  }

  private func run(_ sql: String) throws(StorageError) {
    let statement = try cached(sql)
    defer { statement.reset() }
    while try step(statement) {}
  }
}
