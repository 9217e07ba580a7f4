/// The things that every part of a transaction works with, made once for a connection and a catalog.
struct WriteBase {
  let statements: WriteStatements
  let context: WriteContext
  let appendOnly: AppendOnlyTables
  let log: ChangeLog

  init(_ session: ReadSession, appendOnlyClasses: Set<String>) throws(StorageError) {
    statements = WriteStatements(session)
    context = WriteContext()
    appendOnly = AppendOnlyTables(statements, classes: appendOnlyClasses)
    log = try ChangeLog(in: session)
  }
}
