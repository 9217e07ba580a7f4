/// The statements that begin and end SQLite's transactions.
enum TransactionStatements {
  /// Begins to read: what follows sees one state of the file.
  static let beginReading = "BEGIN"
  /// Begins to write, and fails at once where somebody else does.
  static let beginWriting = "BEGIN IMMEDIATE"
  static let commit = "COMMIT"
  static let rollBack = "ROLLBACK"

  // The part of a transaction that one request is.

  static let beginRequest = "SAVEPOINT request"
  /// Undoes what the request has done; it has still to be ended.
  static let rollBackRequest = "ROLLBACK TO request"
  static let endRequest = "RELEASE request"
}
