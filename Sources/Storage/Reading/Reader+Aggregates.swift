import GatehouseBSON
public import GatehouseModel
public import GatehouseQuery

extension Reader {
  /// Returns the aggregates over the plan's objects, its cursor and page size left aside.
  public func aggregate(_ plan: Plan, _ aggregates: [Aggregate]) throws(StorageError) -> [Mixed] {
    try partial.accumulated(plan, aggregates).map(\.value)
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
