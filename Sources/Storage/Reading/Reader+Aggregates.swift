import GatehouseBSON
public import GatehouseModel
public import GatehouseQuery

extension Reader {
  /// Returns the aggregates over the plan's objects, its cursor and page size left aside.
  public func aggregate(_ plan: Plan, _ aggregates: [Aggregate]) throws(StorageError) -> [Mixed] {
    try accumulated(plan, aggregates).map(\.value)
  }

  /// Returns the aggregates over the plan's objects as far as they are, to which those of other stores are added.
  public func accumulated(
    _ plan: Plan, _ aggregates: [Aggregate]
  ) throws(StorageError) -> [Accumulator] {
    if aggregates.allSatisfy({ $0.kind == .count }) {
      let count = Mixed.int(Int64(try count(plan)))
      return aggregates.map { aggregate in
        var accumulator = aggregate.ofNothing
        accumulator.add(count)
        return accumulator
      }
    }
    return try current { schema throws(StorageError) -> [Accumulator] in
      let reader = planReader(plan)
      let results = try snapshot(schema) { transaction throws(StorageError) in
        try reader.computed(aggregates, in: transaction)
      }
      if let results { return results }
      return try reader.evaluated(aggregates, in: schema)
    }
  }

  /// Appends a document of the aggregates, by the text of each.
  public func write(
    _ values: [Mixed], of aggregates: [Aggregate], as representation: Representation,
    into bytes: inout [UInt8]
  ) throws(StorageError) {
    try current { _ throws(StorageError) in
      try representation.append(
        AggregateDocument(aggregates: aggregates, values: values, session: session), to: &bytes)
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
      try session.write(value, as: aggregate.type, to: &writer)
    }
    writer.endDocument()
  }
}
