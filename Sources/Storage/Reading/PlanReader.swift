import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Reads values of a plan's objects: numbers, aggregates, sections, rows. Pages, which are objects, are ``PageReader``'s.
///
/// Values come from one statement each, unless a function asks for a transaction.
struct PlanReader {
  let plan: Plan
  let session: ReadSession
  let runner: PlanRunner

  /// Returns the number of objects, the plan's cursor and page size left aside.
  func count(in schema: borrowing CurrentSchema) throws(StorageError) -> Int {
    var compiler = try PlanCompiler(plan, catalog: session.catalog)
    let sql = try compiler.count(plan)
    let statement = try runner.begin(sql, residuals: compiler.residuals, plan.visibility, in: session)
    return Int(try session.integer(statement) ?? 0)
  }

  /// Calls `body` for each object, in the plan's order, with the values of the paths.
  func forEach(
    _ paths: [KeyPath], in schema: borrowing CurrentSchema,
    _ body: (PathValues) throws(StorageError) -> Void
  ) throws(StorageError) {
    var compiler = try PlanCompiler(plan, catalog: session.catalog)
    let (sql, columns) = try compiler.values(plan, paths)
    let statement = try runner.begin(sql, residuals: compiler.residuals, plan.visibility, in: session)
    defer { statement.reset() }
    let values = try values(of: paths, in: columns, statement)
    while try session.step(statement) { try body(values) }
    if let failure = values.lookup.failure { throw failure }
  }

  /// Calls `body` for each object of the plan's page, with the value of a path and the place of the object; returns whether none is
  /// behind them.
  func forEachPlace(
    _ path: KeyPath, _ body: (PathValues, Cursor) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    var compiler = try PlanCompiler(plan, catalog: session.catalog)
    let (sql, hasValue) = try compiler.page(plan, valuesOf: path)
    let statement = try runner.begin(sql, residuals: compiler.residuals, plan.visibility, in: session)
    defer { statement.reset() }
    let values = try values(of: [path], in: [hasValue ? 1 : nil], statement)
    var count = 0
    while try session.step(statement) {
      // One more than the page holds was asked for.
      if count == plan.pageSize { return false }
      count += 1
      let place = ((hasValue ? 2 : 1)..<statement.columnCount).map { statement.rawValue(at: $0) }
      try body(values, Cursor(values: place, key: values.key))
    }
    if let failure = values.lookup.failure { throw failure }
    return true
  }

  private func values(
    of paths: [KeyPath], in columns: [Int32?], _ statement: Statement
  ) throws(StorageError) -> PathValues {
    PathValues(
      paths: paths, columns: columns,
      table: session.catalog.tables[try session.catalog.topLevelIndex(of: plan.objectType)],
      lookup: PropertyLookup(session),
      scope: plan.visibility.map { VisibilityScope($0) }, statement: statement)
  }

  /// Returns the aggregates as SQLite computes them; nil where one of them is not what the query language means by it.
  func computed(
    _ aggregates: [Aggregate], in transaction: borrowing ReadTransaction
  ) throws(StorageError) -> [Accumulator]? {
    var results = aggregates.map(\.ofNothing)
    var count = 0
    for statement in try AggregateCompiler.statements(plan, aggregates, catalog: session.catalog) ?? [] {
      let row = try runner.begin(statement.sql, residuals: statement.residuals, plan.visibility, in: session)
      do throws(StorageError) {
        guard try session.step(row) else { throw .corrupt("aggregates") }
      } catch {
        // A sum of ints that is none is a decimal, which SQLite takes for an error ("integer overflow").
        guard case .sqlite = error else { throw error }
        return nil
      }
      defer { row.reset() }
      for column in statement.columns {
        guard try column.add(row, to: &results[count]) else { return nil }
        count += 1
      }
    }
    return count == 0 ? nil : results
  }

  /// Returns the aggregates, the values of one object added after those of the other.
  func evaluated(
    _ aggregates: [Aggregate], in schema: borrowing CurrentSchema
  ) throws(StorageError) -> [Accumulator] {
    var row = AggregateRow(aggregates)
    try forEach(row.paths, in: schema) { values throws(StorageError) in try row.add(values) }
    return row.results
  }

  /// Returns the sections of the plan's page, and where the next one begins. Goes through the objects twice, so that no
  /// more of them are remembered than the page has.
  func sections(
    by key: SectionKey, in transaction: borrowing ReadTransaction
  ) throws(StorageError) -> (sections: [SectionPage<ObjectKey>.Section], next: Cursor?) {
    var counts = SectionCounts()
    try forEach([key.path], in: transaction.schema) { row throws(StorageError) in
      try counts.add(key.key(of: try row.first(0)))
    }
    let beginning = plan.cursor?.values.first.map(counts.place)
    guard let first = beginning ?? 0 else { throw .cursorExpired }
    var page = SectionPage(
      of: counts, from: first, behind: plan.cursor?.key, size: plan.pageSize ?? .max)
    try forEach([key.path], in: transaction.schema) { row throws(StorageError) in
      page.add(row.key, to: counts.place(of: key.key(of: try row.first(0))))
    }
    let (sections, last) = try page.finish()
    precondition(
      sections.allSatisfy { $0.objects.count <= $0.count }, "a page has no more of a section than there is")
    return (sections, last.map { Cursor(values: [$0.section], key: $0.object) })
  }

  /// Returns the objects of the plan's page of sections.
  func sectionedRows(
    by key: SectionKey, in transaction: borrowing ReadTransaction
  ) throws(StorageError) -> [ResultSet.Row] {
    var rows: [ResultSet.Row] = []
    for section in try sections(by: key, in: transaction).sections {
      for key in section.objects {
        let id = try session.identifier(of: ObjectLink(objectType: plan.objectType, key: key))
        rows.append(ResultSet.Row(key: key, id: id, section: section.key))
      }
    }
    return rows
  }

  /// Returns the plan's objects, its page size left aside.
  func rows(in transaction: borrowing ReadTransaction) throws(StorageError) -> [ResultSet.Row] {
    let table = try session.catalog.table(plan.objectType)
    let identifier = table.objectType.primaryKeyIndex.map {
      KeyPath(objectType: plan.objectType, hops: [], end: .value(property: $0), type: table.identifierType)
    }
    let paths = identifier.map { [$0] } ?? []
    var rows: [ResultSet.Row] = []
    try forEach(paths, in: transaction.schema) { row throws(StorageError) in
      let id = paths.isEmpty ? .int(row.key.value) : try row.first(0)
      rows.append(ResultSet.Row(key: row.key, id: id, section: .null))
    }
    return rows
  }
}

/// Takes the values of one object after the other and makes one value of each aggregate.
private struct AggregateRow {
  private let aggregates: [Aggregate]
  private var accumulators: [Accumulator] = []
  private var count: Int64 = 0
  /// The paths whose values the aggregates take, of each object.
  private(set) var paths: [KeyPath] = []

  init(_ aggregates: [Aggregate]) {
    self.aggregates = aggregates
    for case .value(let function, let path) in aggregates.map(\.kind) {
      accumulators.append(Accumulator(function, of: path.type))
      paths.append(path)
    }
  }

  mutating func add(_ row: PathValues) throws(StorageError) {
    count += 1
    for index in accumulators.indices { try row.each(index) { accumulators[index].add($0) } }
  }

  var results: [Accumulator] {
    var results = accumulators[...]
    return aggregates.map { aggregate in
      switch aggregate.kind {
      case .count:
        var accumulator = aggregate.ofNothing
        accumulator.add(.int(count))
        return accumulator
      case .value: return results.removeFirst()
      }
    }
  }
}
