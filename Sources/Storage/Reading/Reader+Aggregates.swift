import GatehouseBSON
public import GatehouseModel
public import GatehouseQuery
import GatehouseSQLite

extension Reader {
  /// Returns the aggregates over the plan's objects, its cursor and page size left aside.
  public func aggregate(_ plan: Plan, _ aggregates: [Aggregate]) throws(StorageError) -> [Mixed] {
    if aggregates.allSatisfy({ $0.kind == .count }) {
      let count = try count(plan)
      return aggregates.map { _ in .int(Int64(count)) }
    }
    return try current { schema throws(StorageError) -> [Mixed] in try evaluated(plan, aggregates, in: schema)
    }
  }

  private func evaluated(
    _ plan: Plan, _ aggregates: [Aggregate], in schema: borrowing CurrentSchema
  ) throws(StorageError) -> [Mixed] {
    let results = try snapshot(schema) { transaction throws(StorageError) -> [Mixed]? in
      try computed(plan, aggregates, in: transaction)
    }
    if let results { return results }
    var row = AggregateRow(aggregates)
    try values(of: plan, row.paths, in: schema) { values throws(StorageError) in try row.add(values) }
    return row.values
  }

  /// Returns the aggregates as SQLite computes them; nil where one of them is not what the query language means by it.
  private func computed(
    _ plan: Plan, _ aggregates: [Aggregate], in transaction: borrowing ReadTransaction
  ) throws(StorageError) -> [Mixed]? {
    var values: [Mixed] = []
    for statement in try AggregateCompiler.statements(plan, aggregates, catalog: session.catalog) ?? [] {
      try begin(LongStatements.Run(statement: statement.sql.text.hashValue))
      residuals.prepare(statement.residuals, in: session)
      let prepared = try session.recent(statement.sql.text)
      statement.sql.bind(to: prepared)
      do throws(StorageError) {
        guard try session.step(prepared) else { throw .corrupt("aggregates") }
      } catch {
        // A sum of ints that is none is a decimal, which SQLite takes for an error ("integer overflow").
        guard case .sqlite = error else { throw error }
        return nil
      }
      defer { prepared.reset() }
      for column in statement.columns {
        guard let value = try column.value(of: prepared) else { return nil }
        values.append(value)
      }
    }
    return values.isEmpty ? nil : values
  }

  /// Appends a document of the aggregates, by the text of each.
  public func aggregate(
    _ plan: Plan, _ aggregates: [Aggregate], as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) {
    let values = try aggregate(plan, aggregates)
    try current { _ throws(StorageError) in
      try representation.append(
        AggregateDocument(aggregates: aggregates, values: values, session: session), to: &bytes)
    }
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

  var values: [Mixed] {
    var results = accumulators.map(\.value)[...]
    return aggregates.map { aggregate in
      switch aggregate.kind {
      case .count: .int(count)
      case .value: results.removeFirst()
      }
    }
  }
}

/// The answer: what was asked for, and what it comes to.
private struct AggregateDocument: Writable {
  let aggregates: [Aggregate]
  let values: [Mixed]
  let session: ReadSession

  func write<Writer: ValueWriter>(to writer: inout Writer) throws(StorageError) {
    var seen: Set<String> = []
    writer.beginDocument()
    for (aggregate, value) in zip(aggregates, values) where seen.insert(aggregate.text).inserted {
      writer.key(aggregate.text)
      switch aggregate.kind {
      case .count: try session.write(value, as: .int, to: &writer)
      case .value(_, let path): try session.write(value, as: path.type, to: &writer)
      }
    }
    writer.endDocument()
  }
}
