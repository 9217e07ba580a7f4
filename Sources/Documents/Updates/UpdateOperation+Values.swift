import GatehouseBSON

extension UpdateOperation {
  /// The value that the operator makes of the one that is there; nil where there is to be no value.
  func value(from current: Value?, at path: String, in scope: Scope) throws(DocumentsError) -> Value? {
    switch self {
    case .set(let value), .setOnInsert(let value): return value
    case .unset, .rename: return nil
    case .increment(let number): return try Self.increased(current, by: number, path)
    case .multiply(let number): return try Self.multiplied(current, by: number, path)
    case .minimum(let value): return current.map { ValueOrder.compare(value, $0) < 0 ? value : $0 } ?? value
    case .maximum(let value): return current.map { ValueOrder.compare(value, $0) > 0 ? value : $0 } ?? value
    case .currentDate(let isTimestamp):
      return isTimestamp
        ? .timestamp(Timestamp(time: UInt32(clamping: scope.now.seconds), increment: 1))
        : .date(Date(milliseconds: scope.now.milliseconds))
    case .push(let insertion):
      guard let array = try Self.array(current, "The field '\(path)' must be an array but is of type ") else {
        return .array(insertion.apply(to: []))
      }
      return .array(insertion.apply(to: array))
    case .addToSet(let values): return try Self.extended(current, by: values, path)
    case .pop(let isFirst):
      guard let current else { return nil }
      guard var array = current.asArray else {
        throw .typeMismatch("Path '\(path)' contains an element of non-array type '\(current.typeName)'")
      }
      if !array.isEmpty { array.remove(at: isFirst ? 0 : array.count - 1) }
      return .array(array)
    case .pull(let condition):
      guard let array = try Self.culled(current) else { return nil }
      return .array(
        try array.keeping { element throws(DocumentsError) in try !condition.holds(for: element, in: scope) })
    case .pullAll(let values):
      guard let array = try Self.culled(current) else { return nil }
      let keys = Set(values.map { ValueKey($0) })
      return .array(array.filter { !keys.contains(ValueKey($0)) })
    case .bits(let operations): return try Self.changed(current, by: operations)
    }
  }

  private static func array(_ current: Value?, _ message: String) throws(DocumentsError) -> [Value]? {
    guard let current else { return nil }
    guard let array = current.asArray else { throw .badValue("\(message)\(current.typeName)") }
    return array
  }

  private static func culled(_ current: Value?) throws(DocumentsError) -> [Value]? {
    guard let current else { return nil }
    guard let array = current.asArray else { throw .badValue("Cannot apply $pull to a non-array value") }
    return array
  }

  private static func extended(
    _ current: Value?, by values: [Value], _ path: String
  ) throws(DocumentsError) -> Value {
    let message = "Cannot apply $addToSet to a non-array field. Field named '\(path)' has a non-array type "
    var array = try Self.array(current, message) ?? []
    var keys = Set(array.map { ValueKey($0) })
    for value in values where keys.insert(ValueKey(value)).inserted { array.append(value) }
    return .array(array)
  }

  private static func increased(_ current: Value?, by number: Number, _ path: String) throws(DocumentsError)
    -> Value
  {
    guard let current else { return number.value }
    guard let value = Number(current) else {
      throw .typeMismatch(
        "Cannot apply $inc to a value of non-numeric type. The document has the field '\(path)' of non-numeric type \(current.typeName)"
      )
    }
    let sum = value + number
    if value.integer != nil, number.integer != nil, sum.integer == nil {
      throw .badValue("Failed to apply $inc operations to current value (\(current.typeName)) of '\(path)'")
    }
    return sum.value
  }

  private static func multiplied(_ current: Value?, by number: Number, _ path: String) throws(DocumentsError)
    -> Value
  {
    // A field that is not there becomes a zero of the operand's type.
    let value = current.map { Number($0) } ?? .int32(0)
    guard let value else {
      throw .typeMismatch(
        "Cannot apply $mul to a value of non-numeric type. The document has the field '\(path)' of non-numeric type \(current.typeName)"
      )
    }
    let product = value * number
    if value.integer != nil, number.integer != nil, product.integer == nil {
      throw .badValue("Failed to apply $mul operations to current value (\(current.typeName)) of '\(path)'")
    }
    return product.value
  }

  private static func changed(_ current: Value?, by operations: [Bits]) throws(DocumentsError) -> Value {
    var value = current ?? .int32(0)
    for operation in operations {
      guard let left = Number(value)?.integer, let right = operation.operand.asInteger else {
        throw .badValue("Cannot apply $bit to a value of non-integral type: \(value.typeName)")
      }
      let result =
        switch operation.kind {
        case .and: left & right
        case .or: left | right
        case .xor: left ^ right
        }
      if case (.int32, .int32) = (value, operation.operand) {
        value = .int32(Int32(truncatingIfNeeded: result))
      } else if current == nil, case .int32 = operation.operand {
        value = .int32(Int32(truncatingIfNeeded: result))
      } else {
        value = .int64(result)
      }
    }
    return value
  }
}
