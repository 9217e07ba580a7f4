import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Decides where SQLite begins to look for the objects of a page.
///
/// SQLite has no statistics here, and does not know how many objects a page has: it would go through a class
/// in the order of keys to find the three objects in a range that has an index, and sort half a class to find
/// the first twenty of it. So each index that could be used is asked how many objects it finds, up to the
/// number from which on it is of no use:
///
///     going through n objects in order, m of which match, until a page of p is full:  about p · n / m
///     finding the m objects by an index, and sorting them:                            about m
///
/// These are equal for m = √(p · n).
struct AccessChooser {
  /// The most entries of an index that are ever counted.
  private static let mostCounted = 20_000
  /// Classes of at most so many objects are not worth the question.
  private static let fewObjects = 8

  private let plan: Plan
  private let catalog: Catalog
  private let table: TableLayout
  private let candidates: [AccessCandidate]

  init(_ plan: Plan, catalog: Catalog) throws(StorageError) {
    self.plan = plan
    self.catalog = catalog
    table = try catalog.table(plan.objectType)
    candidates = AccessCandidate.all(
      of: plan.predicate.conjuncts, on: table.objectType, in: catalog)
  }

  /// Whether SQLite's own choice may be a bad one.
  var isQuestionable: Bool {
    guard let order, !candidates.isEmpty else { return false }
    let equal = Set(candidates.filter(\.isEqual).compactMap(\.property))
    // Its index has the objects in the order of keys, or in that of the sort.
    if candidates.count == 1, order.isEmpty, !equal.isEmpty { return false }
    let others = candidates.filter { !$0.isEqual }
    if others.allSatisfy({ $0.property == order.first?.property }), table.isIndexed(equal: equal, then: order)
    {
      return false
    }
    // A range of what is sorted by.
    if candidates.count == 1, let first = order.first, candidates[0].property == first.property {
      return false
    }
    return true
  }

  /// The decision.
  func access(in session: ReadSession) throws(StorageError) -> AccessPath {
    let objects = try Self.count(of: plan.objectType, in: session)
    guard objects > Self.fewObjects else { return AccessPath(rows: objects) }
    let limit = Self.limit(objects: objects, page: plan.pageSize)
    var counts: [Int] = []
    for candidate in candidates { counts.append(try count(candidate, limit, in: session)) }
    precondition(
      limit <= objects && counts.count == candidates.count, "each way is counted up to where it is of no use")
    guard let least = counts.indices.min(by: { counts[$0] < counts[$1] }) else {
      return AccessPath(rows: objects)
    }
    if counts[least] >= limit {
      let isServed = order.map { $0.isEmpty || table.isOrdered(by: $0[0].property) } ?? false
      return AccessPath(unused: isServed ? Set(candidates.flatMap(\.places)) : [], rows: objects)
    }
    let worse = candidates.indices.filter { index in
      index != least && counts[index] > 4 * counts[least] && !isOneIndex(candidates[index], candidates[least])
    }
    return AccessPath(
      unused: Set(worse.flatMap { candidates[$0].places }), isSorting: true, rows: counts[least])
  }

  /// Returns the number of objects that have to be looked at, about, for explanations.
  func estimate(in session: ReadSession) throws(StorageError) -> Int {
    var least = try Self.count(of: plan.objectType, in: session)
    for candidate in candidates { least = min(least, try count(candidate, Self.mostCounted, in: session)) }
    return least
  }

  static func limit(objects: Int, page: Int?) -> Int {
    guard let page else { return min(objects / 4, mostCounted) }
    return min(Int((Double(page + 1) * Double(objects)).squareRoot()), objects / 4, mostCounted)
  }

  /// The number of objects of a class.
  static func count(of objectType: String, in session: ReadSession) throws(StorageError) -> Int {
    let statement = try session.cached(CatalogStatements.objectCount)
    statement.bind(objectType, at: 1)
    return Int(try session.integer(statement) ?? 0)
  }

  private func count(
    _ candidate: AccessCandidate, _ limit: Int, in session: ReadSession
  ) throws(StorageError) -> Int {
    if let index = candidate.fieldIndex {
      let lookup = Predicate.all(candidate.predicates).lookup(in: index, constants: nil)
      guard let keys = lookup?.keys(in: table) else { return limit }
      return try count("SELECT count(*) FROM (\(keys) LIMIT \(bind: .integer(Int64(limit))))", in: session)
    }
    var compiler = PredicateCompiler(catalog)
    let condition = try compiler.condition(
      .all(candidate.predicates), RowAlias(name: RowAlias.planned, table: table))
    // Whatever turns out to need the evaluator is not found by an index.
    guard compiler.residuals.isEmpty else { return limit }
    return try count(
      """
      SELECT count(*) FROM (SELECT 1 FROM \(raw: table.table) AS t WHERE \(condition) \
      LIMIT \(bind: .integer(Int64(limit))))
      """, in: session)
  }

  private func count(_ sql: SQLText, in session: ReadSession) throws(StorageError) -> Int {
    let statement = try session.recent(sql.text)
    sql.bind(to: statement)
    return Int(try session.integer(statement) ?? 0)
  }

  private func isOneIndex(_ first: AccessCandidate, _ second: AccessCandidate) -> Bool {
    guard let first = first.property, let second = second.property else { return false }
    return first == second || table.isIndexed(first, with: second)
  }

  /// The order of the objects, if it is by properties of their own whose order an index can have; empty:
  /// their keys.
  private var order: [(property: Int, ascending: Bool)]? {
    var order: [(property: Int, ascending: Bool)] = []
    for clause in plan.clauses {
      guard case .sort(let keys) = clause else { return nil }
      for key in keys {
        guard key.path.hops.isEmpty, case .value(let property) = key.path.end else { return nil }
        switch key.path.type {
        // NaN has no place of its own in an index, and mixed values have the order of their bytes there, but for identifiers.
        case .float, .double: return nil
        case .mixed where property != table.objectType.primaryKeyIndex: return nil
        case .bool, .int, .decimal128, .string, .data, .date, .objectID, .uuid, .mixed, .object: break
        }
        order.append((property, key.ascending))
      }
    }
    return order
  }
}
