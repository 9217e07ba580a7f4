import GatehouseBSON

extension ExpressionFunction {
  static let comparisons: [ExpressionFunction] = [
    comparison("$eq") { .bool($0 == 0) }, comparison("$ne") { .bool($0 != 0) },
    comparison("$lt") { .bool($0 < 0) }, comparison("$lte") { .bool($0 <= 0) },
    comparison("$gt") { .bool($0 > 0) }, comparison("$gte") { .bool($0 >= 0) },
    comparison("$cmp") { .int32($0 < 0 ? -1 : $0 > 0 ? 1 : 0) },
    ExpressionFunction("$not", 1...1) { .bool(!$0[0].isTrue) },
  ]

  private static func comparison(_ name: String, _ result: @escaping @Sendable (Int) -> Value)
    -> ExpressionFunction
  {
    ExpressionFunction(name, 2...2) { result(ValueOrder.compareOptional($0[0], $0[1])) }
  }
}

extension ExpressionFunction {
  /// Functions of dates that take no names.
  static let dates: [ExpressionFunction] = [
    strict("$tsSecond") { values throws(DocumentsError) in
      guard case .timestamp(let timestamp) = values[0] else {
        throw .at(5_687_301, "$tsSecond requires a timestamp argument, found: \(values[0].typeName)")
      }
      return .int64(Int64(timestamp.time))
    },
    strict("$tsIncrement") { values throws(DocumentsError) in
      guard case .timestamp(let timestamp) = values[0] else {
        throw .at(5_687_302, "$tsIncrement requires a timestamp argument, found: \(values[0].typeName)")
      }
      return .int64(Int64(timestamp.increment))
    },
  ]
}
