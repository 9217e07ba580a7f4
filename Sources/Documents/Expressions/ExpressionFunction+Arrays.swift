import GatehouseBSON

extension ExpressionFunction {
  /// The array, or an error that names the operator.
  static func array(_ value: Value, _ name: String) throws(DocumentsError) -> [Value] {
    guard case .array(let values) = value else {
      throw .at(17124, "The argument to \(name) must be an array, but was of type: \(value.typeName)")
    }
    return values
  }

  static func integer(_ value: Value, _ name: String) throws(DocumentsError) -> Int {
    guard let integer = value.asInteger.flatMap({ Int32(exactly: $0) }) else {
      throw .at(28690, "\(name) requires an argument that is a 32-bit integer, but found \(value.typeName)")
    }
    return Int(integer)
  }

  static let arrays: [ExpressionFunction] = [
    ExpressionFunction("$size", 1...1) { values throws(DocumentsError) in
      guard case .array(let elements)? = values[0] else {
        throw .at(
          17124, "The argument to $size must be an array, but was of type: \(values[0].typeName)")
      }
      return .count(elements.count)
    },
    ExpressionFunction("$isArray", 1...1) { .bool($0[0]?.asArray != nil) },
    ExpressionFunction("$arrayElemAt", 2...2) { values throws(DocumentsError) in
      guard let array = values[0], let index = values[1], !array.isNullish, !index.isNullish else {
        return .null
      }
      guard let elements = array.asArray else {
        throw .at(28689, "$arrayElemAt's first argument must be an array, but is \(array.typeName)")
      }
      return element(elements, at: try integer(index, "$arrayElemAt"))
    },
    edge("$first", 0), edge("$last", -1),
    ExpressionFunction("$in", 2...2) { values throws(DocumentsError) in
      guard case .array(let elements)? = values[1] else {
        throw .at(
          40081, "$in requires an array as a second argument, found: \(values[1].typeName)")
      }
      return .bool(elements.contains { ValueOrder.compareOptional($0, values[0]) == 0 })
    },
    strict("$concatArrays", any) { values throws(DocumentsError) in
      var result: [Value] = []
      for value in values {
        guard let elements = value.asArray else {
          throw .at(28664, "$concatArrays only supports arrays, not \(value.typeName)")
        }
        result += elements
        try checkSize(result.count * 32, "$concatArrays")
      }
      return .array(result)
    },
    strict("$reverseArray") { values throws(DocumentsError) in
      .array(try array(values[0], "$reverseArray").reversed())
    },
    strict("$slice", 2...3) { values throws(DocumentsError) in
      let elements = try array(values[0], "$slice")
      let first = try integer(values[1], "$slice")
      guard values.count == 3 else {
        return .array(Array(first < 0 ? elements.suffix(-first) : elements.prefix(first)))
      }
      let count = try integer(values[2], "$slice")
      if count <= 0 { throw .at(28729, "Third argument to $slice must be positive") }
      let start = first < 0 ? max(0, elements.count + first) : min(first, elements.count)
      return .array(Array(elements[start...].prefix(count)))
    },
    ExpressionFunction("$range", 2...3) { values throws(DocumentsError) in
      try range(values.mapped { value throws(DocumentsError) in try integer(value ?? .null, "$range") })
    },
    strict("$arrayToObject") { values throws(DocumentsError) in
      .document(try object(of: array(values[0], "$arrayToObject")))
    },
    strict("$objectToArray") { values throws(DocumentsError) in
      guard let document = values[0].asDocument else {
        throw .at(40390, "$objectToArray requires a document input, found: \(values[0].typeName)")
      }
      return .array(document.elements.map { ["k": .string($0.key), "v": $0.value] })
    },
    strict("$indexOfArray", 2...4) { values throws(DocumentsError) in
      let elements = try array(values[0], "$indexOfArray")
      let (start, end) = try bounds(values, "$indexOfArray", count: elements.count)
      guard start < end else { return .int32(-1) }
      return .count(elements[start..<end].firstIndex { ValueOrder.isEqual($0, values[1]) } ?? -1)
    },
  ]

  /// The places from the third argument to before the fourth.
  static func bounds(_ values: [Value], _ name: String, count: Int) throws(DocumentsError) -> (Int, Int) {
    let start = values.count > 2 ? try integer(values[2], name) : 0
    let end = values.count > 3 ? try integer(values[3], name) : count
    if start < 0 || end < 0 { throw .at(40097, "\(name) requires nonnegative start and end indexes") }
    return (start, min(end, count))
  }

  static func element(_ elements: [Value], at index: Int) -> Value? {
    let place = index < 0 ? elements.count + index : index
    return elements.indices.contains(place) ? elements[place] : nil
  }

  private static func edge(_ name: String, _ index: Int) -> ExpressionFunction {
    ExpressionFunction(name, 1...1) { values throws(DocumentsError) in
      guard let value = values[0], !value.isNullish else { return .null }
      guard let elements = value.asArray else {
        throw .at(28689, "\(name)'s argument must be an array, but is \(value.typeName)")
      }
      return element(elements, at: index)
    }
  }

  private static func range(_ bounds: [Int]) throws(DocumentsError) -> Value {
    let step = bounds.count > 2 ? bounds[2] : 1
    if step == 0 { throw .at(34449, "$range requires a non-zero step value") }
    let numbers = stride(from: bounds[0], to: bounds[1], by: step)
    let count = max(0, (bounds[1] - bounds[0] + step - step.signum()) / step)
    if count > 1_000_000 {
      throw DocumentsError(.exceededMemoryLimit, "$range would use too much memory: \(count) numbers")
    }
    return .array(numbers.map { .int32(Int32($0)) })
  }

  private static func object(of entries: [Value]) throws(DocumentsError) -> Document {
    var document = Document()
    for entry in entries {
      switch entry {
      case .array(let pair):
        guard pair.count == 2, case .string(let key) = pair[0] else {
          throw .at(
            40396, "$arrayToObject requires an array of size 2 arrays, whose first element is a string")
        }
        document.set(key, pair[1])
      case .document(let pair):
        guard pair.elements.count == 2, case .string(let key)? = pair["k"], let value = pair["v"] else {
          throw .at(40392, "$arrayToObject requires an object with the keys 'k', a string, and 'v'")
        }
        document.set(key, value)
      default:
        throw .at(40398, "Unrecognised input type format for $arrayToObject: \(entry.typeName)")
      }
    }
    return document
  }

  static let arrayParts: [ExpressionFunction] = [
    summary("$sum") { values in Accumulations.sum(values) },
    summary("$avg") { values in Accumulations.average(values) },
    summary("$min") { values in
      values.filter { !$0.isNullish }.min { ValueOrder.compare($0, $1) < 0 } ?? .null
    },
    summary("$max") { values in
      values.filter { !$0.isNullish }.max { ValueOrder.compare($0, $1) < 0 } ?? .null
    },
    summary("$stdDevPop") { values in Accumulations.deviation(values, isSample: false) },
    summary("$stdDevSamp") { values in Accumulations.deviation(values, isSample: true) },
  ]

  /// A function of many values, which are the arguments, or the elements of the only one.
  private static func summary(_ name: String, _ result: @escaping @Sendable ([Value]) -> Value)
    -> ExpressionFunction
  {
    ExpressionFunction(name, any) { values in
      if values.count == 1, case .array(let elements)? = values[0] { return result(elements) }
      return result(values.compactMap { $0 })
    }
  }

  static let sets: [ExpressionFunction] = [
    strict("$setUnion", any) { values throws(DocumentsError) in
      .array(sorted(try values.flatMapped { value throws(DocumentsError) in try array(value, "$setUnion") }))
    },
    strict("$setIntersection", any) { values throws(DocumentsError) in
      guard let first = values.first else { return .array([]) }
      var result = sorted(try array(first, "$setIntersection"))
      for value in values.dropFirst() {
        let other = keys(try array(value, "$setIntersection"))
        result.removeAll { !other.contains(ValueKey($0)) }
      }
      return .array(result)
    },
    strict("$setDifference", 2...2) { values throws(DocumentsError) in
      var seen = keys(try array(values[1], "$setDifference"))
      return .array(try array(values[0], "$setDifference").filter { seen.insert(ValueKey($0)).inserted })
    },
    ExpressionFunction("$setEquals", 2...Int.max) { values throws(DocumentsError) in
      let sets = try values.mapped { value throws(DocumentsError) in
        keys(try array(value ?? .null, "$setEquals"))
      }
      return .bool(sets.dropFirst().allSatisfy { $0 == sets[0] })
    },
    ExpressionFunction("$setIsSubset", 2...2) { values throws(DocumentsError) in
      let first = keys(try array(values[0] ?? .null, "$setIsSubset"))
      return .bool(first.isSubset(of: keys(try array(values[1] ?? .null, "$setIsSubset"))))
    },
    ExpressionFunction("$allElementsTrue", 1...1) { values throws(DocumentsError) in
      .bool(try array(values[0] ?? .null, "$allElementsTrue").allSatisfy { Optional($0).isTrue })
    },
    ExpressionFunction("$anyElementTrue", 1...1) { values throws(DocumentsError) in
      .bool(try array(values[0] ?? .null, "$anyElementTrue").contains { Optional($0).isTrue })
    },
  ]

  private static func keys(_ values: [Value]) -> Set<ValueKey> { Set(values.map { ValueKey($0) }) }

  /// Each value once, in order: sets have none of their own, and so the same one gives the same array.
  private static func sorted(_ values: [Value]) -> [Value] {
    var seen: Set<ValueKey> = []
    return values.filter { seen.insert(ValueKey($0)).inserted }.sorted { ValueOrder.compare($0, $1) < 0 }
  }

  static let objects: [ExpressionFunction] = [
    ExpressionFunction("$mergeObjects", any) { values throws(DocumentsError) in
      var inputs = values
      if values.count == 1, case .array(let elements)? = values[0] { inputs = elements }
      var result = Document()
      for input in inputs where !input.isNullish {
        guard let document = input?.asDocument else {
          throw .at(40400, "$mergeObjects requires object inputs, but input is of type \(input.typeName)")
        }
        for element in document.elements { result.set(element.key, element.value) }
      }
      return .document(result)
    }
  ]
}

extension Sequence {
  fileprivate func flatMapped<Result>(
    _ transform: (Element) throws(DocumentsError) -> [Result]
  ) throws(DocumentsError) -> [Result] {
    var results: [Result] = []
    for element in self {
      results += try transform(element)
      try ExpressionFunction.checkSize(results.count * 32, "a set")
    }
    return results
  }
}
