import GatehouseModel
import GatehouseQuery
import GatehouseSharing

/// The statements of the pages asked for last, so that a plan that comes again is neither thought over nor
/// written anew.
///
/// Plans of one ``PlanShape`` share a statement, if SQLite begins to look in the same place. Where that depends on the
/// constants, it is decided for each, and again when the class has changed in size or the decision is old.
struct PageStatementCache {
  /// A statement, and what it leaves to the evaluator.
  struct Page {
    let sql: SQLText
    let residuals: [Residual]
    /// The number of the statement's text: no other text has it.
    let number: Int

    fileprivate var cost: Int {
      residuals.reduce(sql.text.utf8.count + 1024) { $0 + 512 * $1.predicate.conditionCount }
    }

    /// Whether each of a plan's constants is a value that is bound, and none belongs to the evaluator for good; null is not bound, but
    /// spelled.
    fileprivate func isSharable(by constants: [ShapedConstant]) -> Bool {
      let bound = Set(sql.arguments.map(\.constant))
      return constants.indices.allSatisfy { constants[$0].value == .null || bound.contains($0) }
        && residuals.allSatisfy { $0.predicate.shapedConstantCount == 0 }
    }

    /// Returns the page with other constants; nil where no column of that type can have one of them.
    fileprivate func with(_ constants: [ShapedConstant]) -> Page? {
      guard let sql = sql.replacingArguments(by: constants) else { return nil }
      return Page(sql: sql, residuals: residuals, number: number)
    }
  }

  /// The statements of a shape.
  private enum Known {
    /// The same page for all plans.
    case one(Page)
    case several(Variety)
  }

  private struct Variety {
    /// The shape's number.
    let shape: Int
    /// Whether where SQLite begins to look depends on the constants.
    let isQuestionable: Bool
    /// Whether each predicate needs a statement of its own: a constant is no value that is bound.
    var isExact = false
  }

  private struct Key: Hashable {
    let shape: Int
    let unused: Set<Int>
    let isSorting: Bool
    /// The predicate of an exact shape; nil for any other.
    let predicate: Predicate?

    init(_ variety: Variety, _ access: AccessPath, of plan: Plan) {
      shape = variety.shape
      unused = access.unused
      isSorting = access.isSorting
      predicate = variety.isExact ? plan.predicate : nil
    }
  }

  /// The key of a decision, which does not depend on where the page begins.
  private struct Question: Hashable {
    let shape: Int
    let predicate: Predicate
  }

  private struct Decision {
    let access: AccessPath
    /// How many objects there were.
    let objects: Int
    var uses = 0
  }

  private static let mostUses = 1_000

  /// In bytes of SQL; a statement takes a few times as much.
  private var pages = GenerationalCache<Key, Page>(budget: 4 << 20)
  /// In bytes of SQL and of constants.
  private var shapes = GenerationalCache<PlanShape, Known>(budget: 4 << 20)
  /// In terms and constants.
  private var decisions = GenerationalCache<Question, Decision>(budget: 16_384)
  /// The numbers of shapes and of texts.
  var numbers: StatementNumbers

  init(numbers: StatementNumbers = StatementNumbers()) {
    self.numbers = numbers
  }

  /// The statement for a page of the plan.
  mutating func page(_ plan: Plan, columns: String, in session: ReadSession) throws(StorageError) -> Page {
    // A rare one is not worth its room.
    if plan.predicate.conditionCount > PredicateCompiler.conditionLimit {
      return try compiled(plan, columns: columns, .automatic, in: session)
    }
    let (shape, constants) = PlanShape.of(plan, columns: columns)
    var variety: Variety
    switch shapes[shape] {
    case .one(let page):
      if let page = page.with(constants) { return page }
      return try compiled(plan, columns: columns, .automatic, in: session)
    case .several(let known): variety = known
    case nil:
      let chooser = try AccessChooser(plan, catalog: session.catalog)
      variety = Variety(shape: numbers.next(), isQuestionable: chooser.isQuestionable)
    }
    let access = variety.isQuestionable ? try access(for: plan, variety, constants, in: session) : .automatic
    if let page = pages[Key(variety, access, of: plan)] {
      if let page = page.with(constants) { return page }
      return try compiled(plan, columns: columns, access, in: session)
    }
    let page = try compiled(plan, columns: columns, access, in: session)
    if !page.isSharable(by: constants) { variety.isExact = true }
    let isShared = !variety.isQuestionable && !variety.isExact
    shapes.add(isShared ? .one(page) : .several(variety), for: shape, cost: page.cost + constants.cost)
    if !isShared { pages.add(page, for: Key(variety, access, of: plan), cost: page.cost) }
    return page
  }

  private mutating func compiled(
    _ plan: Plan, columns: String, _ access: AccessPath, in session: ReadSession
  ) throws(StorageError) -> Page {
    var compiler = try PlanCompiler(plan, catalog: session.catalog, access: access)
    let sql = try compiler.page(plan, columns: columns)
    return Page(sql: sql, residuals: compiler.residuals, number: numbers.number(of: sql.text))
  }

  private mutating func access(
    for plan: Plan, _ variety: Variety, _ constants: [ShapedConstant], in session: ReadSession
  ) throws(StorageError) -> AccessPath {
    let question = Question(shape: variety.shape, predicate: plan.predicate)
    let cost = 16 + constants.count
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

extension [ShapedConstant] {
  /// Their size, about, in bytes.
  fileprivate var cost: Int {
    reduce(0) { cost, constant in
      switch constant.value {
      case .string(let text): cost + 64 + text.utf8.count
      case .data(let bytes): cost + 64 + bytes.count
      case .null, .bool, .int, .float, .double, .decimal128, .date, .objectID, .uuid, .link, .list,
        .dictionary:
        cost + 64
      }
    }
  }
}
