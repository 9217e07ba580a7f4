import GatehouseBSON

extension NamedFunction {
  static let collections: [NamedFunction] = [
    NamedFunction(
      "$getField", ["field", "input"], required: ["field"], takesValue: true
    ) { arguments throws(DocumentsError) in
      guard case .string(let field)? = arguments["field"] else {
        throw .at(5_654_602, "$getField requires 'field' to evaluate to a constant String")
      }
      return arguments["input"]?.asDocument?[field] ?? (arguments.isNullish("input") ? .null : nil)
    },
    NamedFunction(
      "$setField", ["field", "input", "value"], required: ["field", "input", "value"]
    ) { arguments throws(DocumentsError) in try set(arguments, to: arguments["value"]) },
    NamedFunction("$unsetField", ["field", "input"], required: ["field", "input"]) {
      arguments throws(DocumentsError) in
      try set(arguments, to: nil)
    },
    NamedFunction("$sortArray", ["input", "sortBy"], required: ["input", "sortBy"]) {
      arguments throws(DocumentsError) in
      if arguments["input"].isNullish { return .null }
      guard let values = arguments["input"]?.asArray else {
        throw .at(
          2_942_504,
          "The input argument to $sortArray must be an array, but was of type: \(arguments["input"].typeName)"
        )
      }
      return .array(
        try ElementOrder(arguments["sortBy"] ?? .null).sorted(values) { () throws(DocumentsError) in
          try arguments.budget.step()
        })
    },
    NamedFunction("$zip", ["inputs", "useLongestLength", "defaults"], required: ["inputs"]) {
      arguments throws(DocumentsError) in
      try zipped(arguments)
    },
    counted("$firstN") { Array($0.prefix($1)) }, counted("$lastN") { Array($0.suffix($1)) },
    counted("$minN") { values, count in
      Array(values.filter { !$0.isNullish }.sorted { ValueOrder.compare($0, $1) < 0 }.prefix(count))
    },
    counted("$maxN") { values, count in
      Array(values.filter { !$0.isNullish }.sorted { ValueOrder.compare($0, $1) > 0 }.prefix(count))
    },
    NamedFunction("$percentile", ["input", "p", "method"], required: ["input", "p", "method"]) {
      arguments throws(DocumentsError) in
      let positions = try parts(arguments["p"])
      return .array(percentiles(of: numbers(arguments["input"]), at: positions))
    },
    NamedFunction("$median", ["input", "method"], required: ["input", "method"]) {
      arguments throws(DocumentsError) in
      percentiles(of: numbers(arguments["input"]), at: [0.5])[0]
    },
  ]

  private static func numbers(_ value: Value?) -> [Double] {
    (value?.asArray ?? [value ?? .null]).compactMap(\.asDouble)
  }

  /// The parts of all that percentiles are asked for.
  static func parts(_ value: Value?) throws(DocumentsError) -> [Double] {
    let values = value?.asArray ?? []
    let parts = values.compactMap(\.asDouble).filter { 0...1 ~= $0 }
    if parts.isEmpty || parts.count < values.count {
      throw .at(7_750_300, "The $percentile 'p' field must be an array of numbers from [0.0, 1.0]")
    }
    return parts
  }

  /// The least values at or below which so large parts of all are (discrete, as MongoDB's approximation is for few values).
  static func percentiles(of numbers: [Double], at parts: [Double]) -> [Value] {
    let sorted = numbers.filter { !$0.isNaN }.sorted()
    return parts.map { part in
      if sorted.isEmpty { return .null }
      let index = Int((part * Double(sorted.count)).rounded(.up)) - 1
      return .double(sorted[min(max(0, index), sorted.count - 1)])
    }
  }

  private static func set(_ arguments: Arguments, to value: Value?) throws(DocumentsError) -> Value? {
    guard case .string(let field)? = arguments["field"] else {
      throw .at(4_161_107, "\(arguments.name) requires 'field' to evaluate to a constant string")
    }
    if arguments["input"].isNullish { return .null }
    guard var document = arguments["input"]?.asDocument else {
      throw .at(4_161_105, "\(arguments.name) requires 'input' to evaluate to type Object")
    }
    if let value { document.set(field, value) } else { document.remove(field) }
    return .document(document)
  }

  private static func counted(_ name: String, _ pick: @escaping @Sendable ([Value], Int) -> [Value])
    -> NamedFunction
  {
    NamedFunction(name, ["input", "n"], required: ["input", "n"]) { arguments throws(DocumentsError) in
      guard let count = arguments["n"]?.asInteger, count > 0 else {
        throw .at(5_787_902, "\(name): 'n' must be greater than 0, and an integer")
      }
      guard let values = arguments["input"]?.asArray else {
        throw .at(5_788_200, "\(name): 'input' must be an array")
      }
      return .array(pick(values, Int(min(count, Int64(Int32.max)))))
    }
  }

  private static func zipped(_ arguments: Arguments) throws(DocumentsError) -> Value? {
    guard let inputs = arguments["inputs"]?.asArray, !inputs.isEmpty else {
      throw .at(34465, "$zip requires at least one input array")
    }
    var arrays: [[Value]] = []
    for input in inputs {
      if input.isNullish { return .null }
      guard let array = input.asArray else { throw .at(34468, "$zip found a non-array expression in input") }
      arrays.append(array)
    }
    var isLongest = false
    if let value = arguments["useLongestLength"] {
      guard case .bool(let bool) = value else { throw .at(34463, "useLongestLength must be a bool") }
      isLongest = bool
    }
    let defaults = arguments["defaults"]?.asArray ?? []
    if !isLongest, !defaults.isEmpty {
      throw .at(34466, "cannot specify defaults unless useLongestLength is true")
    }
    if !defaults.isEmpty, defaults.count != arrays.count {
      throw .at(34467, "defaults and inputs must have the same length")
    }
    let lengths = arrays.map(\.count)
    let count = (isLongest ? lengths.max() : lengths.min()) ?? 0
    let (size, isTooLarge) = (arrays.count + 1).multipliedReportingOverflow(
      by: count * MemoryLayout<Value>.stride)
    try ExpressionFunction.checkSize(isTooLarge ? .max : size, "$zip")
    return .array(
      (0..<count).map { index in
        .array(
          arrays.indices.map { place in
            arrays[place].indices.contains(index)
              ? arrays[place][index] : defaults.isEmpty ? .null : defaults[place]
          })
      })
  }
}
