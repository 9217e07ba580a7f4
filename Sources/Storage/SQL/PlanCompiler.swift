import GatehouseModel
import GatehouseQuery

/// Turns a plan into one SELECT.
struct PlanCompiler {
  private var predicates: PredicateCompiler
  private let row: RowAlias
  private let access: AccessPath
  /// The results of DISTINCT and LIMIT, each a table that the next one begins with: in one another, SQLite's parser
  /// takes no more than five of them.
  private var steps: [SQLText] = []

  init(_ plan: Plan, catalog: Catalog, access: AccessPath = .automatic) throws(StorageError) {
    self.access = access
    predicates = PredicateCompiler(catalog, plan.visibility)
    row = RowAlias(name: RowAlias.planned, table: try catalog.table(plan.objectType))
  }

  /// Predicates that are evaluated in memory, for `matches`.
  var residuals: [Residual] { predicates.residuals }

  /// The rows of a page: `columns`, then what ``OrderTerm``s order by.
  mutating func page(_ plan: Plan, columns: String) throws(StorageError) -> SQLText {
    try page(plan, columns: "\(raw: columns)" as SQLText)
  }

  /// The same with the key of each object and the value of a path, where SQL can say it.
  mutating func page(_ plan: Plan, valuesOf path: KeyPath) throws(StorageError) -> (SQLText, hasValue: Bool) {
    let value = try predicates.paths.value(of: path, from: row, takingMissingForNull: true)
    let columns: SQLText = if let value { "t._key, \(value)" } else { "t._key" }
    return (try page(plan, columns: columns), value != nil)
  }

  private mutating func page(_ plan: Plan, columns: SQLText) throws(StorageError) -> SQLText {
    var (source, order) = try source(plan)
    // SQLite has to sort objects that it can't find in the order of an index.
    if access.isSorting { order = order.map(\.unindexed) }
    var conditions = [source]
    if let cursor = plan.cursor {
      guard cursor.values.count == order.count else { throw .invalidCursor }
      conditions.append(OrderTerm.after(cursor, in: order, key: key).numbered(from: predicates.constantCount))
    }
    let selected = SQLText.joined([columns] + order.map(\.value), ", ")
    let limit: SQLText = plan.pageSize.map { " LIMIT \(bind: .integer(Int64($0) + 1))" } ?? ""
    return """
      \(with)SELECT \(selected) FROM \(raw: row.table.table) AS t \
      WHERE \(SQLText.joined(conditions, " AND ")) ORDER BY \(OrderTerm.clause(order, key: key))\(limit)
      """
  }

  /// The key of each object of the result, in its order, and the value of each path that SQL can say; nil for
  /// those that it can't.
  mutating func values(_ plan: Plan, _ paths: [KeyPath]) throws(StorageError) -> (SQLText, [Int32?]) {
    let (source, order) = try source(plan)
    var columns: [SQLText] = ["t._key"]
    var places: [Int32?] = []
    for path in paths {
      let value = try predicates.paths.value(of: path, from: row, takingMissingForNull: true)
      places.append(value == nil ? nil : Int32(columns.count))
      if let value { columns.append(value) }
    }
    let sql: SQLText = """
      \(with)SELECT \(SQLText.joined(columns, ", ")) FROM \(raw: row.table.table) AS t WHERE \(source) \
      ORDER BY \(OrderTerm.clause(order))
      """
    precondition(
      places.count == paths.count && columns.count == places.count { $0 != nil } + 1,
      "each path has its column, or none")
    return (sql, places)
  }

  /// One row of aggregates; nil where SQL can't say one of them. A path to many values is aggregated alone.
  mutating func aggregates(
    _ plan: Plan, _ aggregates: [Aggregate]
  ) throws(StorageError) -> (SQLText, [AggregateCompiler.Column])? {
    var terms: [SQLText] = []
    var columns: [AggregateCompiler.Column] = []
    var tables: [SQLText] = ["\(raw: row.table.table) AS t"]
    var conditions: [SQLText] = []
    for aggregate in aggregates {
      let place = Int32(terms.count)
      guard case .value(let function, let path) = aggregate.kind else {
        terms.append("count(*)")
        columns.append(.count(place))
        continue
      }
      let value: SQLText
      if path.isToMany {
        guard let (rows, found) = try predicates.paths.rows(of: path, from: row) else { return nil }
        tables += rows.tables
        conditions += rows.conditions
        value = found
      } else {
        guard let found = try predicates.paths.value(of: path, from: row, takingMissingForNull: true) else {
          return nil
        }
        value = found
      }
      switch (path.type, function) {
      case (.int, .minimum), (.date, .minimum): terms.append("min(\(value))")
      case (.int, .maximum), (.date, .maximum): terms.append("max(\(value))")
      case (.int, .sum): terms.append("sum(\(value))")
      case (.int, .average): terms += ["sum(\(value))", "count(\(value))", "sum(abs(\(value)))"]
      default: return nil
      }
      switch function {
      case .minimum, .maximum: columns.append(.bound(place, path.type))
      case .sum: columns.append(.sum(place))
      case .average: columns.append(.average(sum: place))
      }
    }
    precondition(columns.count == aggregates.count, "each aggregate has its columns")
    let (source, _) = try source(plan)
    let sql: SQLText = """
      \(with)SELECT \(SQLText.joined(terms, ", ")) FROM \(SQLText.joined(tables, ", ")) \
      WHERE \(SQLText.joined([source] + conditions, " AND "))
      """
    return (sql, columns)
  }

  /// The terms by which the result is ordered.
  mutating func order(of plan: Plan) throws(StorageError) -> [OrderTerm] { try source(plan).1 }

  /// How many objects there are.
  mutating func count(_ plan: Plan) throws(StorageError) -> SQLText {
    let (source, _) = try source(plan)
    return "\(with)SELECT count(*) FROM \(raw: row.table.table) AS t WHERE \(source)"
  }

  /// The object key that orders what else is equal.
  private var key: SQLText { access.isSorting ? "+t._key" : "t._key" }

  /// The condition under which an object belongs to the result, and the order of the result.
  private mutating func source(_ plan: Plan) throws(StorageError) -> (SQLText, [OrderTerm]) {
    if plan.clauses.contains(where: \.isStep) { predicates.depth += 16 }
    var condition = try predicates.condition(plan.predicate, row, unused: access.unused)
    var order: [OrderTerm] = []
    for clause in plan.clauses {
      switch clause {
      case .sort(let keys):
        var terms: [OrderTerm] = []
        for key in keys { terms += try self.terms(for: key) }
        // Sorting is stable: the order so far breaks ties.
        order = terms + order
      case .limit(let count):
        condition = step(
          """
          SELECT t._key FROM \(raw: row.table.table) AS t WHERE \(condition) \
          ORDER BY \(OrderTerm.clause(order)) LIMIT \(bind: .integer(Int64(count)))
          """)
      case .distinct(let paths): condition = step(try distinct(paths, among: condition, in: order))
      }
    }
    return (condition, order)
  }

  /// The first object of each group, in the order so far. Objects whose path meets a null link are dropped.
  private mutating func distinct(
    _ paths: [KeyPath], among condition: SQLText, in order: [OrderTerm]
  ) throws(StorageError) -> SQLText {
    var groups: [SQLText] = []
    var conditions = [condition]
    for path in paths {
      groups.append(try value(of: path))
      if let missing = try missing(on: path) { conditions.append("NOT \(missing)") }
    }
    return """
      SELECT key FROM (SELECT t._key AS key, row_number() OVER \
      (PARTITION BY \(SQLText.joined(groups, ", ")) ORDER BY \(OrderTerm.clause(order))) AS place \
      FROM \(raw: row.table.table) AS t WHERE \(SQLText.joined(conditions, " AND "))) WHERE place = 1
      """
  }

  /// The condition under which an object is among those whose keys the statement gives.
  private mutating func step(_ keys: SQLText) -> SQLText {
    steps.append("r\(raw: String(steps.count))(key) AS (\(keys))")
    return "t._key IN r\(raw: String(steps.count - 1))"
  }

  /// The text that comes before SELECT.
  private var with: SQLText { steps.isEmpty ? "" : "WITH \(SQLText.joined(steps, ", ")) " }

  private mutating func terms(for key: SortKey) throws(StorageError) -> [OrderTerm] {
    let value = try value(of: key.path)
    var terms: [SQLText] = []
    // A missing object comes last, a null value first, in ascending order (sort_descriptor.cpp).
    if let missing = try missing(on: key.path) { terms.append(missing) }
    if key.path.type == .double || key.path.type == .float {
      // Null, then NaN, then the numbers; NaN is stored as a text, and so would be last.
      terms.append("(\(value) IS NOT NULL)")
      terms.append("(\(value) IS NOT 'NaN')")
    }
    return terms.map { OrderTerm(value: $0, ascending: key.ascending) }
      + [OrderTerm(value: value, ascending: key.ascending, isDecimal: key.path.type == .decimal128)]
  }

  private mutating func value(of path: KeyPath) throws(StorageError) -> SQLText {
    let found = try predicates.paths.value(of: path, from: row, takingMissingForNull: true)
    guard let value = found ?? predicates.paths.part(of: path, row) else {
      throw .unsortable(path.objectType)
    }
    switch path.type {
    case .decimal128: return "\(value) COLLATE decimal128"
    // The index of documents' identifiers has them so.
    case .mixed where path.hops.isEmpty && predicates.paths.catalog.isUnique(path):
      return "ifnull(mixed_order(\(value)), x'')"
    case .mixed: return "mixed_order(\(value))"
    case .bool, .int, .float, .double, .string, .data, .date, .objectID, .uuid, .object: return value
    }
  }

  /// Whether the path meets a null link; nil where it follows none.
  private mutating func missing(on path: KeyPath) throws(StorageError) -> SQLText? {
    guard !path.hops.isEmpty else { return nil }
    let target = KeyPath(
      objectType: path.objectType, hops: path.hops, end: .object, type: .object(path.targetType))
    return try predicates.paths.value(of: target, from: row).map { "(\($0) IS NULL)" }
  }
}

extension Plan.Clause {
  /// Whether it is a statement of its own.
  fileprivate var isStep: Bool {
    switch self {
    case .sort: false
    case .distinct, .limit: true
    }
  }
}
