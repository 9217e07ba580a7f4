import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

extension Reader {
  /// Calls `body` for each object of the plan, in its order, with the values of the paths.
  func values(
    of plan: Plan, _ paths: [KeyPath], in schema: borrowing CurrentSchema,
    _ body: (PathValues) throws(StorageError) -> Void
  ) throws(StorageError) {
    var compiler = try PlanCompiler(plan, catalog: session.catalog)
    let (sql, columns) = try compiler.values(plan, paths)
    try begin(LongStatements.Run(statement: sql.text.hashValue))
    residuals.prepare(compiler.residuals, in: session)
    let statement = try session.recent(sql.text)
    sql.bind(to: statement)
    defer { statement.reset() }
    let values = PathValues(
      paths: paths, columns: columns,
      table: session.catalog.tables[try session.catalog.topLevelIndex(of: plan.objectType)],
      lookup: PropertyLookup(session), statement: statement)
    while try session.step(statement) { try body(values) }
    if let failure = values.lookup.failure { throw failure }
  }
}
