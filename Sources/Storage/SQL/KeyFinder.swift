import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Finds the objects that a plan matches, as the open transaction has them.
final class KeyFinder {
  private let session: ReadSession
  private let residuals: Residuals

  init(_ session: ReadSession, _ residuals: Residuals) {
    self.session = session
    self.residuals = residuals
  }

  /// Calls `body` with the key of each object, in the plan's order.
  func forEachKey(
    of plan: Plan, _ body: (Int64) throws(StorageError) -> Void
  ) throws(StorageError) {
    let chooser = try AccessChooser(plan, catalog: session.catalog)
    let access = chooser.isQuestionable ? try chooser.access(in: session) : .automatic
    var compiler = try PlanCompiler(plan, catalog: session.catalog, access: access)
    let sql = try compiler.page(plan, columns: "t._key")
    residuals.prepare(compiler.residuals, plan.visibility, in: session)
    let statement = try session.prepare(sql.text)
    sql.bind(to: statement)
    defer { statement.reset() }
    while try session.step(statement) { try body(statement.int64(at: 0)) }
  }
}
