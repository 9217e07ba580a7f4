import GatehouseBSON

/// An operator of expressions with positional arguments, all of which are evaluated first.
public struct ExpressionFunction: Sendable {
  typealias Body = @Sendable ([Value?]) throws(DocumentsError) -> Value?

  let name: String
  let least: Int
  let most: Int
  let body: Body

  /// - Parameter count: how many arguments it takes.
  init(_ name: String, _ count: ClosedRange<Int>, body: @escaping Body) {
    self.name = name
    least = count.lowerBound
    most = count.upperBound
    self.body = body
  }

  /// An operator that is null where one of its arguments is null or missing.
  static func strict(
    _ name: String, _ count: ClosedRange<Int> = 1...1,
    body: @escaping @Sendable ([Value]) throws(DocumentsError) -> Value?
  ) -> ExpressionFunction {
    ExpressionFunction(name, count) { arguments throws(DocumentsError) in
      var values: [Value] = []
      values.reserveCapacity(arguments.count)
      for argument in arguments {
        guard let argument, !argument.isNullish else { return .null }
        values.append(argument)
      }
      return try body(values)
    }
  }

  static let any = 0...Int.max

  static let all: [String: ExpressionFunction] = {
    let lists = [
      arithmetic, trigonometry, comparisons, arrays, arrayParts, sets, strings, stringParts, objects, types,
      dates, bits,
    ]
    var table: [String: ExpressionFunction] = [:]
    for list in lists {
      for function in list {
        precondition(table.updateValue(function, forKey: function.name) == nil, "an operator has one meaning")
      }
    }
    return table
  }()
}

/// An operator of expressions whose arguments have names.
public struct NamedFunction: Sendable {
  typealias Body = @Sendable (Arguments) throws(DocumentsError) -> Value?

  let name: String
  let parameters: [String]
  /// Parameters that have to be given.
  let required: Set<String>
  /// Whether an operand that is no document with these names is the first argument.
  let takesValue: Bool
  let body: Body

  init(
    _ name: String, _ parameters: [String], required: Set<String>, takesValue: Bool = false,
    body: @escaping Body
  ) {
    self.name = name
    self.parameters = parameters
    self.required = required
    self.takesValue = takesValue
    self.body = body
  }

  /// The values of the arguments.
  struct Arguments {
    fileprivate let function: NamedFunction
    fileprivate let values: [Value?]
    fileprivate let isGiven: [Bool]
    /// Functions whose results may be much larger than their arguments count their steps in it.
    let budget: Budget

    init(of function: NamedFunction, values: [Value?], isGiven: [Bool], budget: Budget) {
      precondition(
        values.count == function.parameters.count && isGiven.count == values.count,
        "a parameter has an argument, or none was given")
      self.function = function
      self.values = values
      self.isGiven = isGiven
      self.budget = budget
    }

    var name: String { function.name }

    /// Nil where it was not given, or has no value.
    subscript(name: String) -> Value? {
      function.parameters.firstIndex(of: name).flatMap { values[$0] }
    }

    func has(_ name: String) -> Bool {
      function.parameters.firstIndex(of: name).map { isGiven[$0] } ?? false
    }

    /// Whether an argument was given whose value is null or missing.
    func isNullish(_ name: String) -> Bool { has(name) && self[name].isNullish }
  }

  static let all: [String: NamedFunction] = {
    let lists = [dateParts, dateArithmetic, dateText, texts, collections, conversions]
    var table: [String: NamedFunction] = [:]
    for list in lists {
      for function in list {
        precondition(table.updateValue(function, forKey: function.name) == nil, "an operator has one meaning")
      }
    }
    return table
  }()
}
