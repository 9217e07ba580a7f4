import GatehouseBSON

/// `$group`, and `$bucket`, which groups by bounds.
struct Grouping: Sendable {
  /// A field that a group is to have.
  struct Field: Sendable {
    let name: String
    let accumulator: Accumulator
  }

  /// The bounds of `$bucket`: ascending; values outside are in a bucket of their own.
  struct Bounds: Sendable {
    let values: [Value]
    let otherwise: Value?

    func bucket(_ value: Value?) throws(DocumentsError) -> Value {
      let value = value ?? .null
      if ValueOrder.compare(value, values[0]) >= 0,
        let upper = values.firstIndex(where: { ValueOrder.compare(value, $0) < 0 })
      {
        precondition(upper > 0, "the bounds of buckets ascend")
        return values[upper - 1]
      }
      guard let otherwise else {
        throw .at(
          40066, "$switch could not find a matching branch for an input, and no default was specified.")
      }
      return otherwise
    }
  }

  let key: Expression
  let bounds: Bounds?
  let fields: [Field]

  /// Reads the accumulators of the members.
  static func fields(
    _ elements: [Document.Element], variables: Set<String>
  ) throws(DocumentsError) -> [Field] {
    try elements.mapped { element throws(DocumentsError) in
      if element.key.contains(".") { throw .at(40235, "The field name '\(element.key)' cannot contain '.'") }
      if element.key.hasPrefix("$") {
        throw .at(40236, "The field name '\(element.key)' cannot be an operator name")
      }
      guard let document = element.value.asDocument, let first = document.elements.first else {
        throw .at(40234, "The field '\(element.key)' must be an accumulator object")
      }
      if document.elements.count != 1 {
        throw .at(40238, "The field '\(element.key)' must specify one accumulator")
      }
      return Field(
        name: element.key, accumulator: try Accumulator(first.key, first.value, variables: variables))
    }
  }

  func documents(of input: any DocumentCursor, in context: PipelineContext) throws(DocumentsError)
    -> [Document]
  {
    documents(of: try groups(of: input, in: context))
  }

  func groups(of input: any DocumentCursor, in context: PipelineContext) throws(DocumentsError) -> Groups {
    var groups = Groups()
    while let document = try input.next() {
      try context.budget.step()
      let scope = context.scope.with(root: document)
      var value = try key.value(in: scope)
      if let bounds { value = try bounds.bucket(value) }
      try groups.add(scope, to: value, of: fields, context.budget)
    }
    return groups
  }

  func documents(of groups: Groups) -> [Document] {
    var documents = groups.documents(of: fields)
    if bounds != nil {
      documents.sort { ValueOrder.compareOptional($0["_id"], $1["_id"]) < 0 }
    }
    return documents
  }
}

/// `$bucketAuto`: buckets with about as many documents each.
struct BucketAuto: Sendable {
  let key: Expression
  let count: Int
  let fields: [Grouping.Field]

  func documents(of input: any DocumentCursor, in context: PipelineContext) throws(DocumentsError)
    -> [Document]
  {
    var entries: [(key: Value, document: Document)] = []
    for document in try input.rest(charging: context.budget) {
      entries.append((try key.value(in: context.scope.with(root: document)) ?? .null, document))
    }
    let order = entries.indices.sorted {
      let order = ValueOrder.compare(entries[$0].key, entries[$1].key)
      return order != 0 ? order < 0 : $0 < $1
    }
    let sorted = order.map { entries[$0] }
    let size = max(1, Int((Double(sorted.count) / Double(count)).rounded(.toNearestOrAwayFromZero)))
    var (results, start): ([Document], Int) = ([], 0)
    while start < sorted.count {
      var end = results.count == count - 1 ? sorted.count : min(start + size, sorted.count)
      // Equal values are in one bucket.
      while end < sorted.count, ValueOrder.isEqual(sorted[end].key, sorted[end - 1].key) { end += 1 }
      precondition(end > start, "a bucket has a document")
      let upper = end < sorted.count ? sorted[end].key : sorted[end - 1].key
      var states = fields.map { AccumulatorState($0.accumulator) }
      for entry in sorted[start..<end] {
        let scope = context.scope.with(root: entry.document)
        for index in states.indices { try states[index].add(scope, context.budget) }
      }
      var document: Document = ["_id": ["min": sorted[start].key, "max": upper]]
      for (field, state) in zip(fields, states) {
        if let value = state.result { document.append(field.name, value) }
      }
      results.append(document)
      start = end
    }
    precondition(results.count <= count, "there are no more buckets than are wanted")
    return results
  }
}
