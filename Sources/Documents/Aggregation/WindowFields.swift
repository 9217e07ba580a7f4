import GatehouseBSON

/// `$setWindowFields`: fields that are computed of the documents around each one.
struct WindowFields: Sendable {
  /// A part of a partition, about one document.
  enum Window: Sendable {
    /// Places relative to the document; nil: up to the end.
    case documents(lower: Int?, upper: Int?)
    /// Values of the only sort key relative to the document's.
    case range(lower: Bound, upper: Bound, unit: DateUnit?)
  }

  enum Bound: Sendable {
    case unbounded
    case current
    case offset(Value)

    /// The number that is added to the key; nil: none is.
    var offset: Value? {
      switch self {
      case .unbounded: nil
      case .current: .int32(0)
      case .offset(let value): value
      }
    }
  }

  enum Operation: Sendable {
    case accumulator(Accumulator, Window)
    case rank
    case denseRank
    case documentNumber
    case shift(Expression, by: Int, otherwise: Expression?)
    case lastObservation(Expression)
    case function(Function)
  }

  struct Field: Sendable {
    let path: [String]
    let operation: Operation
  }

  let partition: Expression?
  let order: SortPattern?
  let fields: [Field]

  func documents(of input: any DocumentCursor, in context: PipelineContext) throws(DocumentsError)
    -> [Document]
  {
    var places: [ValueKey: Int] = [:]
    var partitions: [(key: Value, documents: [Document])] = []
    for document in try input.rest(charging: context.budget) {
      let key = try partition?.value(in: context.scope.with(root: document)) ?? .null
      if case .array = key {
        throw .typeMismatch("An expression used to partition cannot evaluate to value of type array")
      }
      let place = places[ValueKey(key)] ?? partitions.count
      if place == partitions.count {
        places[ValueKey(key)] = place
        partitions.append((key, []))
      }
      partitions[place].documents.append(document)
    }
    precondition(places.count == partitions.count, "what is equal in the order of values is one partition")
    partitions.sort { ValueOrder.compare($0.key, $1.key) < 0 }
    var results: [Document] = []
    for partition in partitions {
      let sorted = order?.sorted(partition.documents) ?? partition.documents
      results += try WindowPartition(documents: sorted, order: order, context: context).results(of: fields)
    }
    return results
  }
}

/// The documents of one partition, in order.
struct WindowPartition {
  let documents: [Document]
  let keys: [[Value]]
  let order: SortPattern?
  let context: PipelineContext

  init(documents: [Document], order: SortPattern?, context: PipelineContext) {
    self.documents = documents
    self.order = order
    self.context = context
    keys = order.map { order in documents.map { order.values(of: $0) } } ?? []
  }

  func results(of fields: [WindowFields.Field]) throws(DocumentsError) -> [Document] {
    var results = documents
    for field in fields {
      let values = try values(of: field.operation)
      precondition(values.count == documents.count, "each document has a value of its window")
      for (index, value) in values.enumerated() {
        results[index] = Lookup.setting(value ?? .null, at: field.path[...], of: results[index])
      }
    }
    return results
  }

  func scope(_ index: Int) -> Scope { context.scope.with(root: documents[index]) }

  private func values(of operation: WindowFields.Operation) throws(DocumentsError) -> [Value?] {
    switch operation {
    case .rank: return ranks(isDense: false)
    case .denseRank: return ranks(isDense: true)
    case .documentNumber: return documents.indices.map { .count($0 + 1) }
    case .shift(let expression, let distance, let otherwise):
      var values: [Value?] = []
      for index in documents.indices {
        let place = index + distance
        if documents.indices.contains(place) {
          values.append(try expression.value(in: scope(place)))
        } else {
          values.append(try otherwise?.value(in: scope(index)))
        }
      }
      return values
    case .lastObservation(let expression):
      var (values, last): ([Value?], Value?) = ([], nil)
      for index in documents.indices {
        if let value = try expression.value(in: scope(index)), !value.isNullish { last = value }
        values.append(last)
      }
      return values
    case .accumulator(let accumulator, let window): return try values(of: accumulator, window)
    case .function(let function): return try values(of: function)
    }
  }

  private func ranks(isDense: Bool) -> [Value?] {
    var (rank, result): (Int, [Value?]) = (0, [])
    for index in documents.indices {
      let isTie = index > 0 && order.map { $0.compare(keys[index], keys[index - 1]) == 0 } ?? false
      if !isTie { rank = isDense ? rank + 1 : index + 1 }
      result.append(.count(rank))
    }
    return result
  }

  /// A window that only grows at its end keeps its state; others are added up for each document.
  private func values(of accumulator: Accumulator, _ window: WindowFields.Window) throws(DocumentsError)
    -> [Value?]
  {
    var state = AccumulatorState(accumulator)
    var (added, values): (Int, [Value?]) = (0, [])
    for index in documents.indices {
      let range = try range(window, around: index)
      if range.lowerBound > 0 || range.upperBound < added {
        state.release(to: context.budget)
        state = AccumulatorState(accumulator)
        for place in range {
          try context.budget.step()
          try state.add(scope(place), context.budget)
        }
        added = range.lowerBound == 0 ? range.upperBound : documents.count + 1
      } else {
        if added > documents.count {
          state.release(to: context.budget)
          (state, added) = (AccumulatorState(accumulator), 0)
        }
        for place in added..<range.upperBound {
          try context.budget.step()
          try state.add(scope(place), context.budget)
        }
        added = range.upperBound
      }
      let value = range.isEmpty && isNullWhenEmpty(accumulator) ? .null : state.result
      // A list for each document takes as much as the square of their number.
      if let value { try context.budget.charge(value.memory) }
      values.append(value)
    }
    state.release(to: context.budget)
    return values
  }

  private func isNullWhenEmpty(_ accumulator: Accumulator) -> Bool {
    switch accumulator.operation {
    case .minimum, .maximum, .average, .first, .last: true
    default: false
    }
  }

  func range(_ window: WindowFields.Window, around index: Int) throws(DocumentsError) -> Range<Int> {
    switch window {
    case .documents(let lower, let upper):
      let start = max(0, lower.map { index + $0 } ?? 0)
      let end = min(documents.count, upper.map { index + $0 + 1 } ?? documents.count)
      return min(start, documents.count)..<max(min(start, documents.count), end)
    case .range(let lower, let upper, let unit):
      precondition(order?.keys.count == 1, "a window of values lies along one key")
      guard let key = keys[index].first else { return 0..<documents.count }
      let isDescending = order?.keys.first.map { !$0.isAscending } ?? false
      let first = try limit(lower, of: key, unit, isDescending: isDescending)
      let last = try limit(upper, of: key, unit, isDescending: isDescending)
      func compare(_ place: Int, _ value: Value) -> Int {
        let order = ValueOrder.compare(keys[place].first ?? .null, value)
        return isDescending ? -order : order
      }
      var start = 0
      if let first { while start < documents.count, compare(start, first) < 0 { start += 1 } }
      var end = documents.count
      if let last { while end > start, compare(end - 1, last) > 0 { end -= 1 } }
      // Offsets from infinities may leave no place between both ends.
      return start..<max(start, end)
    }
  }

  /// The value that a window goes to, which lies before the key where the order descends; nil: to the end.
  private func limit(
    _ bound: WindowFields.Bound, of key: Value, _ unit: DateUnit?, isDescending: Bool
  ) throws(DocumentsError) -> Value? {
    switch bound {
    case .unbounded: return nil
    case .current: return key
    case .offset(let offset):
      if let unit, case .date(let date) = key {
        guard let amount = offset.asInteger, amount != .min,
          let moved = unit.adding(Int(isDescending ? -amount : amount), to: date, offset: 0)
        else {
          throw .at(5_429_513, "a range of dates must be an integer number of units")
        }
        return .date(moved)
      }
      guard let key = Number(key), let offset = Number(offset) else {
        throw .at(
          5_429_414, "Invalid range: Expected the sortBy field to be a number, but it was \(key.typeName)")
      }
      return (isDescending ? key - offset : key + offset).value
    }
  }
}
