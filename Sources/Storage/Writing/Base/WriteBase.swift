/// The things that every part of a transaction works with, made once for a connection and a catalog.
struct WriteBase {
  let statements: WriteStatements
  let context: WriteContext
  let appendOnly: AppendOnlyTables
  let log: ChangeLog
  /// The functions of the connection that say what may be seen.
  let residuals = Residuals()
  let keys: KeyFinder

  init(_ session: ReadSession, appendOnlyClasses: Set<String>) throws(StorageError) {
    statements = WriteStatements(session)
    context = WriteContext()
    appendOnly = AppendOnlyTables(statements, classes: appendOnlyClasses)
    log = try ChangeLog(in: session)
    keys = KeyFinder(session, residuals)
    do { try residuals.register(on: session.connection) } catch { throw StorageError(error) }
  }
}
