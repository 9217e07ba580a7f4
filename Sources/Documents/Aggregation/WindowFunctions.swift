import GatehouseBSON

// Functions of `$setWindowFields` beside accumulators and ranks.
extension WindowFields {
  /// A function over the values of a window, or of a partition.
  enum Function: Sendable {
    /// The weight of each new value is alpha.
    case movingAverage(Expression, alpha: Number)
    /// Missing values are on the line between the values around them.
    case linearFill(Expression)
    /// The change from the first to the last document of the window, for each unit of the sort key.
    case derivative(Expression, DateUnit?, Window)
    /// The area under the values of the window.
    case integral(Expression, DateUnit?, Window)
    case covariance(Expression, Expression, isSample: Bool, Window)
  }
}

extension WindowPartition {
  func values(of function: WindowFields.Function) throws(DocumentsError) -> [Value?] {
    switch function {
    case .movingAverage(let expression, let alpha): return try averages(of: expression, alpha)
    case .linearFill(let expression): return try filled(expression)
    case .derivative(let expression, let unit, let window):
      let points = try points(of: expression, unit)
      return try each(window) { range in
        guard let first = points[safe: range.lowerBound] ?? nil, range.count > 1,
          let last = points[range.upperBound - 1], last.x != first.x
        else { return .null }
        return .double((last.y - first.y) / (last.x - first.x))
      }
    case .integral(let expression, let unit, let window):
      let points = try points(of: expression, unit)
      return try each(window) { range in
        var sum = 0.0
        let known = points[range].compactMap { $0 }
        for (left, right) in zip(known, known.dropFirst()) {
          sum += (right.x - left.x) * (left.y + right.y) / 2
        }
        return range.isEmpty ? .null : .double(sum)
      }
    case .covariance(let first, let second, let isSample, let window):
      let pairs = try documents.indices.mapped { index throws(DocumentsError) -> (Double, Double)? in
        guard let x = try first.value(in: scope(index))?.asDouble,
          let y = try second.value(in: scope(index))?.asDouble
        else { return nil }
        return (x, y)
      }
      return try each(window) { Self.covariance(of: pairs[$0].compactMap { $0 }, isSample: isSample) }
    }
  }

  /// The value of each document's window.
  private func each(
    _ window: WindowFields.Window, _ body: (Range<Int>) -> Value
  ) throws(DocumentsError) -> [Value?] {
    try documents.indices.mapped { index throws(DocumentsError) in
      let range = try range(window, around: index)
      try context.budget.step(max(1, range.count))
      return body(range)
    }
  }

  private static func covariance(of pairs: [(Double, Double)], isSample: Bool) -> Value {
    let count = Double(isSample ? pairs.count - 1 : pairs.count)
    guard count > 0 else { return .null }
    let (x, y) = pairs.reduce((0.0, 0.0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    let means = (x / Double(pairs.count), y / Double(pairs.count))
    return .double(pairs.reduce(0.0) { $0 + ($1.0 - means.0) * ($1.1 - means.1) } / count)
  }

  private func averages(of expression: Expression, _ alpha: Number) throws(DocumentsError) -> [Value?] {
    var average: Number?
    guard let one = Number(.double(1)) else { return [] }
    return try documents.indices.mapped { index throws(DocumentsError) in
      // Other values change nothing.
      if let number = (try expression.value(in: scope(index))).flatMap(Number.init) {
        average = average.map { number * alpha + $0 * (one - alpha) } ?? number
      }
      return average?.value ?? .null
    }
  }

  private func filled(_ expression: Expression) throws(DocumentsError) -> [Value?] {
    var values: [Value?] = []
    for index in documents.indices { values.append(try expression.value(in: scope(index))) }
    var last: Int?
    for index in values.indices {
      guard let value = values[index], !value.isNullish else {
        values[index] = .null
        continue
      }
      guard let end = Number(value) else {
        throw .at(6_050_101, "Values to be filled with $linearFill must be numeric or nullish")
      }
      if let last, index - last > 1, let begin = values[last].flatMap(Number.init) {
        try fill(&values, from: (last, begin), to: (index, end))
      }
      last = index
    }
    return values
  }

  private func fill(
    _ values: inout [Value?], from first: (index: Int, value: Number), to last: (index: Int, value: Number)
  ) throws(DocumentsError) {
    let (begin, end) = (try position(first.index, nil), try position(last.index, nil))
    for index in first.index + 1..<last.index {
      let place = try position(index, nil)
      guard end != begin, let part = Number(.double((place - begin) / (end - begin))) else {
        throw .at(6_050_106, "There can be no repeated values in the sort field of $linearFill")
      }
      values[index] = (first.value + (last.value - first.value) * part).value
    }
  }

  /// The places and values of the documents; nil where one has no number.
  private func points(of expression: Expression, _ unit: DateUnit?) throws(DocumentsError) -> [(
    x: Double, y: Double
  )?] {
    try documents.indices.mapped { index throws(DocumentsError) in
      guard let y = try expression.value(in: scope(index))?.asDouble else { return nil }
      return (try position(index, unit), y)
    }
  }

  /// The sort key of a document as a number; of a date, in a unit.
  private func position(_ index: Int, _ unit: DateUnit?) throws(DocumentsError) -> Double {
    switch keys[index].first {
    case .date(let date)?:
      return Double(date.milliseconds) / Double(unit?.millisecondsOfFixed ?? 1)
    case let value? where value.isNumber && unit == nil: return value.asDouble ?? 0
    default:
      throw .at(
        5_624_900, "the sortBy field must be numeric, or a date, where a 'unit' is given a date")
    }
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
