public import GatehouseBSON

extension Expression {
  /// The value for the scope; nil where it is missing.
  public func value(in scope: Scope) throws(DocumentsError) -> Value? {
    switch self {
    case .literal(let value): return value
    case .path(let path): return scope.value(at: path)
    case .variable(let name, let path): return scope.variable(name)?.value(at: path)
    case .missing: return nil
    case .document(let members):
      var document = Document()
      var size = OperandSize()
      for member in members {
        guard let value = try member.expression.value(in: scope) else { continue }
        try size.add(value)
        document.append(member.name, value)
      }
      return .document(document)
    case .array(let parts):
      var operands = Operands()
      for part in parts { try operands.append(try part.value(in: scope) ?? .null) }
      return .array(operands.values.map { $0 ?? .null })
    case .call(let function, let arguments):
      precondition(
        function.least <= arguments.count && arguments.count <= function.most,
        "a function has as many arguments as it takes")
      var operands = Operands()
      operands.values.reserveCapacity(arguments.count)
      for argument in arguments { try operands.append(try argument.value(in: scope)) }
      let value = try function.body(operands.values)
      // Some make many elements at once.
      try scope.budget.step(1 + (value?.asArray?.count ?? 0) / 16)
      return value
    case .named(let function, let arguments):
      var operands = Operands()
      for argument in arguments { try operands.append(try argument?.value(in: scope)) }
      return try function.body(
        NamedFunction.Arguments(
          of: function, values: operands.values, isGiven: arguments.map { $0 != nil }, budget: scope.budget))
    case .and(let parts):
      for part in parts where try !part.value(in: scope).isTrue { return .bool(false) }
      return .bool(true)
    case .or(let parts):
      for part in parts where try part.value(in: scope).isTrue { return .bool(true) }
      return .bool(false)
    case .condition(let condition, let then, let otherwise):
      return try condition.value(in: scope).isTrue ? then.value(in: scope) : otherwise.value(in: scope)
    case .branches(let branches, let otherwise): return try Self.choose(branches, otherwise, in: scope)
    case .firstNotNull(let parts):
      for part in parts.dropLast() {
        if let value = try part.value(in: scope), !value.isNullish { return value }
      }
      return try parts.last?.value(in: scope)
    case .binding(let bindings, let body):
      var inner = scope
      var size = OperandSize()
      for binding in bindings {
        let value = try binding.expression.value(in: scope)
        _ = try value?.checkedSize()
        try size.add(value)
        inner.bind(binding.name, to: value)
      }
      return try body.value(in: inner)
    case .map(let input, let name, let body): return try Self.map(input, as: name, body, in: scope)
    case .filter(let input, let name, let condition, let limit):
      return try Self.filter(input, as: name, (condition, limit), in: scope)
    case .reduce(let input, let initial, let body):
      return try Self.reduce(input, initial: initial, body, in: scope)
    }
  }

  private static func choose(
    _ branches: [Case], _ otherwise: Expression?, in scope: Scope
  ) throws(DocumentsError) -> Value? {
    for branch in branches where try branch.condition.value(in: scope).isTrue {
      return try branch.result.value(in: scope)
    }
    guard let otherwise else {
      throw .at(40066, "$switch could not find a matching branch for an input, and no default was specified.")
    }
    return try otherwise.value(in: scope)
  }

  /// The array of an input; nil where the input is null or missing.
  private static func elements(
    of input: Expression, in scope: Scope, for name: String
  ) throws(DocumentsError) -> [Value]? {
    let value = try input.value(in: scope)
    if value.isNullish { return nil }
    guard let values = value?.asArray else {
      throw .at(16883, "input to \(name) must be an array not \(value.typeName)")
    }
    return values
  }

  private static func map(
    _ input: Expression, as name: String, _ body: Expression, in scope: Scope
  ) throws(DocumentsError) -> Value? {
    guard let values = try elements(of: input, in: scope, for: "$map") else { return .null }
    var inner = scope
    var results: [Value] = []
    results.reserveCapacity(values.count)
    var size = 0
    for value in values {
      try scope.budget.step()
      inner.bind(name, to: value)
      let result = try body.value(in: inner) ?? .null
      size += try result.checkedSize()
      if size > Value.sizeLimit {
        throw DocumentsError(.exceededMemoryLimit, "$map made a value that is too large")
      }
      results.append(result)
    }
    return .array(results)
  }

  private static func filter(
    _ input: Expression, as name: String, _ test: (condition: Expression, limit: Expression?), in scope: Scope
  ) throws(DocumentsError) -> Value? {
    guard let values = try elements(of: input, in: scope, for: "$filter") else { return .null }
    var most = Int.max
    if let limit = test.limit, let value = try limit.value(in: scope), !value.isNullish {
      guard let count = value.asInteger, count > 0 else {
        throw .at(327_391, "$filter: limit must be represented as a 32-bit integral value greater than 0")
      }
      most = Int(count)
    }
    var inner = scope
    var results: [Value] = []
    for value in values where results.count < most {
      try scope.budget.step()
      inner.bind(name, to: value)
      if try test.condition.value(in: inner).isTrue { results.append(value) }
    }
    return .array(results)
  }

  private static func reduce(
    _ input: Expression, initial: Expression, _ body: Expression, in scope: Scope
  ) throws(DocumentsError) -> Value? {
    let value = try input.value(in: scope)
    if value.isNullish { return .null }
    guard let values = value?.asArray else {
      throw .at(40080, "$reduce requires that 'input' be an array, found: \(value.typeName)")
    }
    var inner = scope
    var result = try initial.value(in: scope)
    for value in values {
      try scope.budget.step()
      inner.bind("this", to: value)
      inner.bind("value", to: result)
      result = try body.value(in: inner)
      _ = try result?.checkedSize()
    }
    return result
  }
}

/// The values that a function is called with.
private struct Operands {
  var values: [Value?] = []
  private var size = OperandSize()

  mutating func append(_ value: Value?) throws(DocumentsError) {
    try size.add(value)
    values.append(value)
  }
}

/// The size of the values that are made for one expression, which together may be no larger than one.
private struct OperandSize {
  private var bytes = 0

  mutating func add(_ value: Value?) throws(DocumentsError) {
    bytes += value?.shallowSize ?? 0
    if bytes > Value.sizeLimit {
      throw DocumentsError(
        .exceededMemoryLimit, "the operands of an expression would take more than \(Value.sizeLimit) bytes")
    }
  }
}
