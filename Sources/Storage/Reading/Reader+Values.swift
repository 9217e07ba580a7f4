import Model
import Query
import SQLite

extension Reader {
  /// Calls `body` with each object of the plan, in its order, and with the values of each path.
  ///
  /// To be called within ``current(_:)``.
  func values(
    of plan: Plan, _ paths: [KeyPath], _ body: (ObjectKey, [[Mixed]]) -> Void
  ) throws(StorageError) {
    var compiler = try PlanCompiler(plan, catalog: session.catalog)
    let (sql, places) = try compiler.values(plan, paths)
    residuals.prepare(compiler.residuals, in: session)
    let table = session.catalog.tables[try session.catalog.topLevelIndex(of: plan.objectType)]
    let lookup = PropertyLookup(session)
    let statement = try session.prepare(sql.text)
    sql.bind(to: statement)
    while try session.step(statement) {
      let key = ObjectKey(statement.int64(at: 0))
      var values: [[Mixed]] = []
      for (path, place) in zip(paths, places) {
        if let place {
          values.append([try statement.value(as: path.type, at: place)])
        } else {
          let object = StoredObject(table: table, key: key, lookup: lookup)
          values.append(path.values(of: object).flatMap { $0 })
        }
      }
      body(key, values)
    }
    if let failure = lookup.failure { throw failure }
  }

  /// Runs `body` on one state of the file.
  ///
  /// To be called within ``current(_:)``.
  func snapshot<Answer>(_ body: () throws(StorageError) -> Answer) throws(StorageError) -> Answer {
    if isHeld { return try body() }
    try execute("BEGIN")
    defer { try? connection.execute("COMMIT") }
    return try body()
  }
}
