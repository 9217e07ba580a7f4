import Model
import Query

/// The statements of the pages asked for last, so that a plan that comes again is neither thought over nor
/// written anew.
///
/// Where SQLite begins to look is decided again when the class has changed in size or the statement has been used
/// often.
struct CompiledPages {
  /// A statement, and what it leaves to the evaluator.
  struct Page {
    let sql: SQLText
    let residuals: [(predicate: Predicate, table: TableLayout)]
  }

  private struct Shape: Hashable {
    let objectType: String
    let predicate: Predicate
    let clauses: [Plan.Clause]
    let pageSize: Int?
    let columns: String
  }

  private struct Entry {
    let page: Page
    /// How many objects there were; nil: the decision does not depend on it.
    let objects: Int?
    var uses = 0
  }

  private static let mostEntries = 256
  private static let mostUses = 1_000
  private var entries: [Shape: Entry] = [:]

  /// The statement for a page of the plan.
  mutating func page(_ plan: Plan, columns: String, in session: ReadSession) throws(StorageError) -> Page {
    let shape = Shape(
      objectType: plan.objectType, predicate: plan.predicate, clauses: plan.clauses, pageSize: plan.pageSize,
      columns: columns)
    // The places of pages are too many to keep.
    if plan.cursor == nil, let place = entries.index(forKey: shape),
      try isFresh(entries.values[place], plan, in: session)
    {
      entries.values[place].uses += 1
      return entries.values[place].page
    }
    let chooser = try AccessChooser(plan, catalog: session.catalog)
    let isQuestionable = chooser.isQuestionable
    let access = isQuestionable ? try chooser.access(in: session) : .open
    var compiler = try PlanCompiler(plan, catalog: session.catalog, access: access)
    let page = Page(sql: try compiler.page(plan, columns: columns), residuals: compiler.residuals)
    if plan.cursor == nil {
      if entries.count >= Self.mostEntries { entries = [:] }
      let objects = isQuestionable ? try AccessChooser.count(of: plan.objectType, in: session) : nil
      entries[shape] = Entry(page: page, objects: objects)
    }
    return page
  }

  private func isFresh(_ entry: Entry, _ plan: Plan, in session: ReadSession) throws(StorageError) -> Bool {
    guard let objects = entry.objects else { return true }
    let now = try AccessChooser.count(of: plan.objectType, in: session)
    return entry.uses < Self.mostUses && abs(now - objects) <= objects / 8
  }
}
