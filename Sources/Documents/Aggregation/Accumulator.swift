import GatehouseBSON

/// An operator of `$group`: how the values of many documents become one.
struct Accumulator: Sendable {
  enum Operation: Sendable {
    case sum, average, minimum, maximum, first, last, push, addToSet, count, mergeObjects
    case deviation(isSample: Bool)
    /// The first or last, or the least or greatest so many.
    case some(Pick, count: Expression)
    /// The so many at one end of an order; nil: one, and not an array.
    case ordered(SortPattern, isTop: Bool, count: Expression?)
    case percentiles(Expression, isSingle: Bool)
  }

  enum Pick: Sendable {
    case first, last, least, greatest
  }

  let operation: Operation
  let expression: Expression

  static let names: Set<String> = [
    "$sum", "$avg", "$min", "$max", "$first", "$last", "$push", "$addToSet", "$count", "$mergeObjects",
    "$stdDevPop", "$stdDevSamp", "$firstN", "$lastN", "$minN", "$maxN", "$top", "$topN", "$bottom",
    "$bottomN",
    "$median", "$percentile",
  ]

  init(_ name: String, _ value: Value, variables: Set<String>) throws(DocumentsError) {
    func member(_ key: String) throws(DocumentsError) -> Value {
      guard let document = value.asDocument else {
        throw .at(5_787_900, "specification must be an object for \(name)")
      }
      guard let value = document[key] else { throw .at(5_787_906, "Missing value for '\(key)' in \(name)") }
      return value
    }
    func expression(_ key: String) throws(DocumentsError) -> Expression {
      try Expression(try member(key), variables: variables)
    }
    func order() throws(DocumentsError) -> SortPattern {
      guard let document = try member("sortBy").asDocument else {
        throw .at(5_788_005, "expected 'sortBy' to already be an object in the arguments to \(name)")
      }
      return try SortPattern(document)
    }
    switch name {
    case "$count":
      guard value.asDocument?.elements.isEmpty ?? false else {
        throw .typeMismatch("$count takes no arguments, i.e. $count:{}")
      }
      (operation, self.expression) = (.count, .literal(.null))
    case "$firstN", "$lastN", "$minN", "$maxN":
      let picks: [String: Pick] = ["$firstN": .first, "$lastN": .last, "$minN": .least, "$maxN": .greatest]
      operation = .some(picks[name] ?? .first, count: try expression("n"))
      self.expression = try expression("input")
    case "$top", "$bottom":
      operation = .ordered(try order(), isTop: name == "$top", count: nil)
      self.expression = try expression("output")
    case "$topN", "$bottomN":
      operation = .ordered(try order(), isTop: name == "$topN", count: try expression("n"))
      self.expression = try expression("output")
    case "$percentile":
      operation = .percentiles(try expression("p"), isSingle: false)
      self.expression = try expression("input")
    case "$median":
      operation = .percentiles(.literal(.array([.double(0.5)])), isSingle: true)
      self.expression = try expression("input")
    default:
      let simple: [String: Operation] = [
        "$sum": .sum, "$avg": .average, "$min": .minimum, "$max": .maximum, "$first": .first, "$last": .last,
        "$push": .push, "$addToSet": .addToSet, "$mergeObjects": .mergeObjects,
        "$stdDevPop": .deviation(isSample: false), "$stdDevSamp": .deviation(isSample: true),
      ]
      guard let operation = simple[name] else { throw .at(15952, "unknown group operator '\(name)'") }
      if case .array(let values) = value, values.count != 1 {
        throw .at(40237, "The \(name) accumulator is a unary operator")
      }
      var operand = value
      if case .array(let values) = value { operand = values[0] }
      (self.operation, self.expression) = (operation, try Expression(operand, variables: variables))
    }
  }
}

/// The values of one group, as far as an accumulator keeps them.
struct AccumulatorState: Sendable {
  private let accumulator: Accumulator
  private var value: Value?
  private var sum = RunningSum()
  private var deviation = RunningDeviation()
  private var values: [Value?] = []
  private var seen: Set<ValueKey> = []
  private var orders: [[Value]] = []
  private var count: Int64 = 0
  private var isBegun = false
  private var limit: Int?
  private var parts: [Double] = []
  /// The bytes that it has taken for values that it keeps.
  private(set) var charged = 0

  init(_ accumulator: Accumulator) { self.accumulator = accumulator }

  /// Takes the value of one more document.
  mutating func add(_ scope: Scope, _ budget: Budget) throws(DocumentsError) {
    let input = try accumulator.expression.value(in: scope)
    defer { isBegun = true }
    switch accumulator.operation {
    case .sum, .average: if let input { sum.add(input) }
    case .deviation: if let input { deviation.add(input) }
    case .count: count += 1
    case .minimum, .maximum: try take(input, budget)
    case .first: if !isBegun { try hold(input, budget) }
    case .last: try hold(input, budget)
    case .push: if let input { try keep(input, budget) }
    case .addToSet:
      if let input, seen.insert(ValueKey(input)).inserted { try keep(input, budget) }
    case .mergeObjects: try merge(input, budget)
    case .some(let pick, let count):
      if limit == nil { limit = try Self.limit(count, scope) }
      try takeSome(input, pick: pick, budget)
    case .ordered(let pattern, let isTop, let count):
      if !isBegun, let count { limit = try Self.limit(count, scope) }
      try takeOrdered(input, at: pattern.values(of: scope.root), rule: (pattern, isTop), budget)
    case .percentiles(let expression, _):
      if !isBegun { parts = try NamedFunction.parts(expression.value(in: scope)) }
      if let input, input.isNumber { try keep(input, budget) }
    }
  }

  /// The same accumulator without a value.
  var empty: AccumulatorState { AccumulatorState(accumulator) }

  /// Takes the values of more documents, which come behind those that it has.
  mutating func add(_ other: AccumulatorState, _ budget: Budget) throws(DocumentsError) {
    guard other.isBegun else { return }
    defer { isBegun = true }
    limit = limit ?? other.limit
    switch accumulator.operation {
    case .sum, .average: sum.add(other.sum)
    case .deviation: deviation.add(other.deviation)
    case .count: count += other.count
    case .minimum, .maximum: try take(other.value, budget)
    case .first: if !isBegun { try hold(other.value, budget) }
    case .last: try hold(other.value, budget)
    case .push: for case let value? in other.values { try keep(value, budget) }
    case .addToSet:
      for case let value? in other.values where seen.insert(ValueKey(value)).inserted {
        try keep(value, budget)
      }
    case .mergeObjects: try merge(other.value, budget)
    case .some(let pick, _): for value in other.values { try takeSome(value, pick: pick, budget) }
    case .ordered(let pattern, let isTop, _):
      for (order, value) in zip(other.orders, other.values) {
        try takeOrdered(value, at: order, rule: (pattern, isTop), budget)
      }
    case .percentiles:
      if !isBegun { parts = other.parts }
      for case let value? in other.values { try keep(value, budget) }
    }
  }

  private mutating func keep(_ value: Value, _ budget: Budget) throws(DocumentsError) {
    try charge(value, budget)
    values.append(value)
  }

  /// Keeps one value, in the place of the one before.
  private mutating func hold(_ next: Value?, _ budget: Budget) throws(DocumentsError) {
    if let value { release(value, budget) }
    value = nil
    if let next { try charge(next, budget) }
    value = next
  }

  private mutating func charge(_ value: Value?, _ budget: Budget) throws(DocumentsError) {
    let size = (value ?? .null).memory
    charged += size
    try budget.charge(size)
  }

  private mutating func release(_ value: Value?, _ budget: Budget) {
    let size = (value ?? .null).memory
    precondition(size <= charged, "what a group gives back it has taken")
    charged -= size
    budget.release(size)
  }

  /// Gives back the memory of what it keeps, which nobody asks for any more.
  mutating func release(to budget: Budget) {
    budget.release(charged)
    charged = 0
  }

  private mutating func take(_ input: Value?, _ budget: Budget) throws(DocumentsError) {
    guard let input, !input.isNullish else { return }
    guard let previous = value else { return try hold(input, budget) }
    let order = ValueOrder.compare(input, previous)
    let isTaken = if case .minimum = accumulator.operation { order < 0 } else { order > 0 }
    if isTaken { try hold(input, budget) }
  }

  private mutating func merge(_ input: Value?, _ budget: Budget) throws(DocumentsError) {
    guard let input, !input.isNullish else { return }
    guard let document = input.asDocument else {
      throw .at(40400, "$mergeObjects requires object inputs, but input is of type \(input.typeName)")
    }
    var result = value?.asDocument ?? Document()
    for element in document.elements { result.set(element.key, element.value) }
    try hold(.document(result), budget)
  }

  private static func limit(_ count: Expression, _ scope: Scope) throws(DocumentsError) -> Int {
    guard let limit = try count.value(in: scope)?.asInteger, limit > 0, limit <= Int64(Int32.max) else {
      throw .at(5_787_903, "Value for 'n' must be an integer greater than 0")
    }
    return Int(limit)
  }

  private mutating func takeSome(
    _ input: Value?, pick: Accumulator.Pick, _ budget: Budget
  ) throws(DocumentsError) {
    let most = limit ?? 1
    switch pick {
    case .first:
      if values.count < most { try keep(input ?? .null, budget) }
    case .last:
      try keep(input ?? .null, budget)
      if values.count > most { release(values.removeFirst(), budget) }
    case .least, .greatest:
      guard let input, !input.isNullish else { return }
      let place = values.firstIndex { other in
        let order = ValueOrder.compareOptional(input, other)
        return pick == .least ? order < 0 : order > 0
      }
      try charge(input, budget)
      values.insert(input, at: place ?? values.count)
      if values.count > most { release(values.removeLast(), budget) }
    }
    precondition(values.count <= most, "a group keeps no more values than are wanted")
  }

  private mutating func takeOrdered(
    _ input: Value?, at order: [Value], rule: (pattern: SortPattern, isTop: Bool), _ budget: Budget
  ) throws(DocumentsError) {
    let most = limit ?? 1
    // Equal ones stay in the order in which they came.
    let place = orders.firstIndex { rule.pattern.compare(order, $0) < 0 } ?? orders.count
    if rule.isTop, place >= most { return }
    try charge(input, budget)
    orders.insert(order, at: place)
    values.insert(input ?? .null, at: place)
    if orders.count > most {
      if rule.isTop { orders.removeLast() } else { orders.removeFirst() }
      release(rule.isTop ? values.removeLast() : values.removeFirst(), budget)
    }
    precondition(
      values.count == orders.count && values.count <= most, "a group keeps no more values than are wanted")
  }

  /// The value of the group; nil where it is missing.
  var result: Value? {
    switch accumulator.operation {
    case .sum: sum.value
    case .average: sum.average
    case .deviation(let isSample): deviation.value(isSample: isSample)
    case .count: .integer(count)
    case .minimum, .maximum, .first, .last: value ?? .null
    case .push, .addToSet, .some: .array(values.map { $0 ?? .null })
    case .mergeObjects: value ?? .document(Document())
    case .ordered(_, _, let count): count == nil ? values.first ?? .null : .array(values.map { $0 ?? .null })
    case .percentiles(_, let isSingle): percentiles(isSingle: isSingle)
    }
  }

  private func percentiles(isSingle: Bool) -> Value {
    let numbers = values.compactMap { $0?.asDouble }
    let results = NamedFunction.percentiles(of: numbers, at: parts)
    return isSingle ? results.first ?? .null : .array(results)
  }
}
