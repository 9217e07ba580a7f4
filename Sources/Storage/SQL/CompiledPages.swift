import Model
import Query

/// The statements of the pages asked for last, so that a plan that comes again is neither thought over nor
/// written anew.
///
/// Plans of one ``PlanShape`` share a statement, if SQLite begins to look in the same place. Where that depends on the
/// constants, it is decided for each, and again when the class has changed in size or the decision is old.
struct CompiledPages {
  /// A statement, and what it leaves to the evaluator.
  struct Page {
    let sql: SQLText
    let residuals: [(predicate: Predicate, table: TableLayout)]
  }

  /// What is known of a shape.
  private struct Known {
    /// Its number.
    let number: Int
    /// Whether where SQLite begins to look depends on the constants.
    let isQuestionable: Bool
    /// Whether each predicate needs a statement of its own: a constant is no value that is bound.
    var isExact = false
  }

  private struct Key: Hashable {
    let shape: Int
    let unused: Set<Int>
    let isSorting: Bool
    /// Of an exact shape.
    let predicate: Predicate?

    init(_ known: Known, _ access: Access, _ plan: Plan) {
      shape = known.number
      unused = access.unused
      isSorting = access.isSorting
      predicate = known.isExact ? plan.predicate : nil
    }
  }

  /// What a decision depends on: not on where the page begins.
  private struct Question: Hashable {
    let shape: Int
    let predicate: Predicate
  }

  private struct Decision {
    let access: Access
    /// How many objects there were.
    let objects: Int
    var uses = 0
  }

  private static let mostUses = 1_000

  /// In terms and constants.
  private var shapes = GenerationalCache<PlanShape, Known>(budget: 16_384)
  private var decisions = GenerationalCache<Question, Decision>(budget: 16_384)
  /// In bytes of SQL; a statement takes a few times as much.
  private var pages = GenerationalCache<Key, Page>(budget: 4 << 20)
  private var shapeCount = 0

  /// The statement for a page of the plan.
  mutating func page(_ plan: Plan, columns: String, in session: ReadSession) throws(StorageError) -> Page {
    let (shape, constants) = PlanShape.of(plan, columns: columns)
    let cost = 16 + constants.count
    var known = try known(shape, plan, cost, in: session)
    let access = known.isQuestionable ? try access(for: plan, known, cost, in: session) : .open
    let key = Key(known, access, plan)
    if let page = pages[key] {
      if let sql = page.sql.replacingArguments(by: constants) {
        return Page(sql: sql, residuals: page.residuals)
      }
      // A constant that no column of that type can have.
      return try compiled(plan, columns, access, in: session)
    }
    let page = try compiled(plan, columns, access, in: session)
    if !known.isExact, !page.sql.arguments.haveAll(of: constants) {
      known.isExact = true
      shapes.add(known, for: shape, cost: cost)
    }
    pages.add(page, for: Key(known, access, plan), cost: page.sql.text.utf8.count + 1024)
    return page
  }

  private mutating func known(
    _ shape: PlanShape, _ plan: Plan, _ cost: Int, in session: ReadSession
  ) throws(StorageError) -> Known {
    if let known = shapes[shape] { return known }
    shapeCount += 1
    let chooser = try AccessChooser(plan, catalog: session.catalog)
    let known = Known(number: shapeCount, isQuestionable: chooser.isQuestionable)
    shapes.add(known, for: shape, cost: cost)
    return known
  }

  private func compiled(
    _ plan: Plan, _ columns: String, _ access: Access, in session: ReadSession
  ) throws(StorageError) -> Page {
    var compiler = try PlanCompiler(plan, catalog: session.catalog, access: access)
    return Page(sql: try compiler.page(plan, columns: columns), residuals: compiler.residuals)
  }

  private mutating func access(
    for plan: Plan, _ known: Known, _ cost: Int, in session: ReadSession
  ) throws(StorageError) -> Access {
    let question = Question(shape: known.number, predicate: plan.predicate)
    if var decision = decisions[question], try isFresh(decision, plan, in: session) {
      decision.uses += 1
      decisions.add(decision, for: question, cost: cost)
      return decision.access
    }
    let access = try AccessChooser(plan, catalog: session.catalog).access(in: session)
    let objects = try AccessChooser.count(of: plan.objectType, in: session)
    decisions.add(Decision(access: access, objects: objects), for: question, cost: cost)
    return access
  }

  private func isFresh(
    _ decision: Decision, _ plan: Plan, in session: ReadSession
  ) throws(StorageError) -> Bool {
    let now = try AccessChooser.count(of: plan.objectType, in: session)
    return decision.uses < Self.mostUses && abs(now - decision.objects) <= decision.objects / 8
  }
}

extension [SQLText.Argument] {
  /// Whether each constant is one of them; null is not bound, but spelled.
  fileprivate func haveAll(of constants: [ShapedConstant]) -> Bool {
    let bound = Set(map(\.constant))
    return constants.indices.allSatisfy { constants[$0].value == .null || bound.contains($0) }
  }
}
