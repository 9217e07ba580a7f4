import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Aggregates as SQLite computes them, where its results are those of the query language: of ints and dates.
///
/// Not: doubles, whose sum depends on the order of the rows and on SQLite's version; decimals and mixed values, which
/// SQLite cannot reckon with.
enum AggregateCompiler {
  /// One statement, which gives one row.
  struct Statement {
    let sql: SQLText
    let columns: [Column]
    let residuals: [Residual]
  }

  /// Where a result stands in the row.
  enum Column {
    case count(Int32)
    case bound(Int32, ElementType)
    case sum(Int32)
    /// The sum, then how many values there are, then the sum of their magnitudes.
    case average(sum: Int32)
  }

  /// For all aggregates, in their order; nil where SQL can't say one of them.
  ///
  /// Paths to one value are columns of one statement; each path to many is a join of its own.
  static func statements(
    _ plan: Plan, _ aggregates: [Aggregate], catalog: Catalog
  ) throws(StorageError) -> [Statement]? {
    var statements: [Statement] = []
    var single: [Aggregate] = []
    for aggregate in aggregates {
      if aggregate.isToMany {
        guard try append(single, of: plan, to: &statements, catalog: catalog) else { return nil }
        single = []
        guard try append([aggregate], of: plan, to: &statements, catalog: catalog) else { return nil }
      } else {
        single.append(aggregate)
      }
    }
    return try append(single, of: plan, to: &statements, catalog: catalog) ? statements : nil
  }

  private static func append(
    _ aggregates: [Aggregate], of plan: Plan, to statements: inout [Statement], catalog: Catalog
  ) throws(StorageError) -> Bool {
    guard !aggregates.isEmpty else { return true }
    var compiler = try PlanCompiler(plan, catalog: catalog)
    guard let (sql, columns) = try compiler.aggregates(plan, aggregates) else { return false }
    statements.append(Statement(sql: sql, columns: columns, residuals: compiler.residuals))
    return true
  }
}

extension Aggregate {
  fileprivate var isToMany: Bool {
    if case .value(_, let path) = kind { path.isToMany } else { false }
  }
}

extension AggregateCompiler.Column {
  /// Whole numbers beyond it are no doubles any more.
  private static let exact: Int64 = 1 << 53

  /// Adds the result to one of nothing; false where rounding could make it another one than that of values added one by one.
  func add(
    _ row: GatehouseSQLite.Statement, to accumulator: inout Accumulator
  ) throws(StorageError) -> Bool {
    switch self {
    case .count(let column), .sum(let column): accumulator.add(.int(row.int64(at: column)))
    case .bound(let column, let type): accumulator.add(try row.value(as: type, at: column))
    case .average(let sum):
      guard row.int64(at: sum + 2) < Self.exact else { return false }
      accumulator.add(sum: .int(row.int64(at: sum)), of: row.int64(at: sum + 1))
    }
    return true
  }
}
