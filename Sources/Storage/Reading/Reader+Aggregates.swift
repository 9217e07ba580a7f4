import BSON
public import Model
public import Query

extension Reader {
  /// The aggregates over the plan's objects, its cursor and page size left aside.
  public func aggregate(_ plan: Plan, _ aggregates: [Aggregate]) throws(StorageError) -> [Mixed] {
    if aggregates.allSatisfy({ $0.kind == .count }) {
      let count = try count(plan)
      return aggregates.map { _ in .int(Int64(count)) }
    }
    return try current { () throws(StorageError) in
      var row = AggregateRow(aggregates)
      try values(of: plan, row.paths) { row.add($1) }
      return row.values
    }
  }

  /// Appends a document of the aggregates, by the text of each.
  public func aggregate(
    _ plan: Plan, _ aggregates: [Aggregate], as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) {
    let values = try aggregate(plan, aggregates)
    try current { () throws(StorageError) in
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
  /// What the aggregates want to know of each object.
  private(set) var paths: [KeyPath] = []

  init(_ aggregates: [Aggregate]) {
    self.aggregates = aggregates
    for case .value(let function, let path) in aggregates.map(\.kind) {
      accumulators.append(Accumulator(function, of: path.type))
      paths.append(path)
    }
  }

  mutating func add(_ values: [[Mixed]]) {
    count += 1
    for (index, values) in values.enumerated() {
      for value in values { accumulators[index].add(value) }
    }
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
