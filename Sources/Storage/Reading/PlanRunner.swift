import GatehouseQuery
import GatehouseSQLite
import GatehouseSharing

/// Runs the statements of plans on a reader's connection.
///
/// Where the reader has to be brief, it does not begin statements that have turned out to be long for the caller.
final class PlanRunner {
  private let connection: Connection
  private let residuals = Residuals()
  private var pages = PageStatementCache()
  private var longStatements = LongStatements()
  /// Who reads briefly, where that matters; and the statement that has begun last.
  private var caller: Caller?
  private var run: LongStatements.Run?

  init(_ connection: Connection) throws(StorageError) {
    self.connection = connection
    do { try residuals.register(on: connection) } catch { throw StorageError(error) }
  }

  /// Forgets the statements of a schema that is not the store's any more.
  func forgetStatements() {
    pages = PageStatementCache(numbers: pages.numbers)
  }

  /// Returns the result of `body`; nil where that takes more looks at a statement than `work`, or a statement in it was
  /// stopped for the caller lately.
  func briefly<Answer>(
    work: Int, for caller: () -> Caller, _ body: () throws -> Answer
  ) throws -> Answer? {
    precondition(connection.limits.work == nil, "a reader reads for one at a time")
    connection.limits.work = work
    if !longStatements.isEmpty { self.caller = caller() }
    defer {
      connection.limits.work = nil
      self.caller = nil
      run = nil
    }
    do {
      let answer = try body()
      if let run, let caller = self.caller { longStatements.addBrief(run, for: caller) }
      return answer
    } catch StorageError.timeLimit where connection.limits.reason == .work {
      if let run { longStatements.addStopped(run, for: self.caller ?? caller()) }
      return nil
    }
  }

  /// Returns the statement for a page of the plan.
  func page(
    _ plan: Plan, columns: String, in session: ReadSession
  ) throws(StorageError) -> PageStatementCache.Page {
    try pages.page(plan, columns: columns, in: session)
  }

  /// Notes that the statement of a page of the plan begins.
  func begin(_ page: PageStatementCache.Page, of plan: Plan, in session: ReadSession) throws(StorageError) {
    try begin(LongStatements.Run(statement: page.number, atMost: plan.pageSize ?? .max))
    residuals.prepare(page.residuals, plan.visibility, in: session)
  }

  /// Returns the statement of that text with its values bound, and notes that it begins. The caller resets it.
  func begin(
    _ sql: SQLText, residuals: [Residual], _ visibility: Visibility?, in session: ReadSession
  ) throws(StorageError) -> Statement {
    try begin(LongStatements.Run(statement: pages.numbers.number(of: sql.text)))
    self.residuals.prepare(residuals, visibility, in: session)
    let statement = try session.recent(sql.text)
    sql.bind(to: statement)
    return statement
  }

  /// From now on answers are written under the visibility. Nothing else is read meanwhile.
  func see(_ visibility: Visibility?, in session: ReadSession) {
    residuals.prepare([], visibility, in: session)
  }

  /// Throws ``StorageError/timeLimit`` where the statement is to be brief and had better be left out.
  private func begin(_ run: @autoclosure () -> LongStatements.Run) throws(StorageError) {
    guard connection.limits.work != nil else { return }
    let run = run()
    guard let caller, longStatements.skips(run, for: caller) else {
      self.run = run
      return
    }
    connection.limits.work = 0
    if connection.mustStop { throw .timeLimit }
  }
}
