import Model
import Query

/// The statements of the pages asked for last, so that a plan that comes again is neither thought over nor
/// written anew.
///
/// Plans that differ in the constants of their conjuncts share a statement, if where SQLite begins to look does not
/// depend on them. Where it does, that is decided for each, and again when the class has changed in size or the
/// statement has been used often.
struct CompiledPages {
  /// A statement, and what it leaves to the evaluator.
  struct Page {
    let sql: SQLText
    let residuals: [(predicate: Predicate, table: TableLayout)]
  }

  private enum Conjunct: Hashable {
    case exact(Predicate)
    case argument(ConjunctArgument.Shape)
  }

  private struct Shape: Hashable {
    let objectType: String
    let conjuncts: [Conjunct]
    let clauses: [Plan.Clause]
    let pageSize: Int?
    let columns: String

    init(_ plan: Plan, _ conjuncts: [Conjunct], columns: String) {
      objectType = plan.objectType
      self.conjuncts = conjuncts
      clauses = plan.clauses
      pageSize = plan.pageSize
      self.columns = columns
    }
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
  /// Shapes of which each plan needs a statement of its own.
  private var exactShapes: Set<Shape> = []

  /// The statement for a page of the plan.
  mutating func page(_ plan: Plan, columns: String, in session: ReadSession) throws(StorageError) -> Page {
    // The places of pages are too many to keep.
    guard plan.cursor == nil else { return try compiled(plan, columns, in: session).page }
    let conjuncts = plan.predicate.conjuncts
    let arguments = conjuncts.map(ConjunctArgument.init)
    let shape = Shape(
      plan, zip(conjuncts, arguments).map { $1.map { .argument($0.shape) } ?? .exact($0) }, columns: columns)
    if !exactShapes.contains(shape) {
      if let entry = entries[shape] {
        // Arguments whose value a column of that type cannot have are compiled, and so found out, each by itself.
        if let sql = entry.page.sql.replacingArguments({ arguments[$0]?.binding }) {
          return Page(sql: sql, residuals: entry.page.residuals)
        }
        return try compiled(plan, columns, in: session).page
      }
      let (page, objects) = try compiled(plan, columns, in: session)
      let places = Set(page.sql.arguments.map(\.conjunct))
      if objects == nil, arguments.indices.allSatisfy({ arguments[$0] == nil || places.contains($0) }) {
        keep(Entry(page: page, objects: nil), shape)
        return page
      }
      if exactShapes.count >= Self.mostEntries { exactShapes = [] }
      exactShapes.insert(shape)
      keep(Entry(page: page, objects: objects), Shape(plan, [.exact(plan.predicate)], columns: columns))
      return page
    }
    return try exactPage(plan, columns, in: session)
  }

  private mutating func exactPage(
    _ plan: Plan, _ columns: String, in session: ReadSession
  ) throws(StorageError) -> Page {
    let shape = Shape(plan, [.exact(plan.predicate)], columns: columns)
    if let place = entries.index(forKey: shape), try isFresh(entries.values[place], plan, in: session) {
      entries.values[place].uses += 1
      return entries.values[place].page
    }
    let (page, objects) = try compiled(plan, columns, in: session)
    keep(Entry(page: page, objects: objects), shape)
    return page
  }

  private mutating func keep(_ entry: Entry, _ shape: Shape) {
    if entries.count >= Self.mostEntries { entries = [:] }
    entries[shape] = entry
  }

  /// The statement, and how many objects there are if that decided on it.
  private func compiled(
    _ plan: Plan, _ columns: String, in session: ReadSession
  ) throws(StorageError) -> (page: Page, objects: Int?) {
    let chooser = try AccessChooser(plan, catalog: session.catalog)
    let isQuestionable = chooser.isQuestionable
    let access = isQuestionable ? try chooser.access(in: session) : .open
    var compiler = try PlanCompiler(plan, catalog: session.catalog, access: access)
    let page = Page(sql: try compiler.page(plan, columns: columns), residuals: compiler.residuals)
    let objects = isQuestionable ? try AccessChooser.count(of: plan.objectType, in: session) : nil
    return (page, objects)
  }

  private func isFresh(_ entry: Entry, _ plan: Plan, in session: ReadSession) throws(StorageError) -> Bool {
    guard let objects = entry.objects else { return true }
    let now = try AccessChooser.count(of: plan.objectType, in: session)
    return entry.uses < Self.mostUses && abs(now - objects) <= objects / 8
  }
}
