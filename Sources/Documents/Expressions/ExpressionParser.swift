import GatehouseBSON

/// Reads expressions.
struct ExpressionParser {
  private var depth = 0
  /// Variables that are bound around the expression that is read.
  private var names: Set<String> = []
  static let depthLimit = 100

  static let systemVariables: Set<String> = ["ROOT", "CURRENT", "NOW", "REMOVE"]

  init(variables: Set<String> = []) { names = variables }

  mutating func parse(_ value: Value) throws(DocumentsError) -> Expression {
    depth += 1
    defer { depth -= 1 }
    if depth > ExpressionParser.depthLimit {
      throw DocumentsError(
        .overflow, "the expression is nested deeper than \(ExpressionParser.depthLimit) levels")
    }
    switch value {
    case .string(let text): return try reference(text)
    case .document(let document): return try object(document)
    case .array(let values):
      var parts: [Expression] = []
      for value in values { parts.append(try parse(value)) }
      if parts.allSatisfy({ $0.constant != nil }) { return .literal(.array(parts.compactMap(\.constant))) }
      return .array(parts)
    default: return .literal(value)
    }
  }

  private mutating func reference(_ text: String) throws(DocumentsError) -> Expression {
    guard text.utf8.first == UInt8(ascii: "$") else { return .literal(.string(text)) }
    if text.utf8.count == 1 {
      throw .at(16872, "'$' by itself is not a valid FieldPath")
    }
    guard text.hasPrefix("$$") else {
      return .path(try FieldPath(expression: String(Substring(text.utf8.dropFirst()))).components)
    }
    let path = try FieldPath(expression: String(text.dropFirst(2))).components
    let name = path[0]
    let rest = Array(path.dropFirst())
    if name == "REMOVE" { return .missing }
    if name == "CURRENT", !names.contains(name), !rest.isEmpty { return .path(rest) }
    guard names.contains(name) || ExpressionParser.systemVariables.contains(name) else {
      throw .at(17276, "Use of undefined variable: \(name)")
    }
    return .variable(name, rest)
  }

  private mutating func object(_ document: Document) throws(DocumentsError) -> Expression {
    if let first = document.elements.first, first.key.utf8.first == UInt8(ascii: "$") {
      guard document.elements.count == 1 else {
        throw .at(
          15983,
          "an object representing an expression must have exactly one field: \(document.elements.map(\.key).joined(separator: ", "))"
        )
      }
      return try call(first.key, first.value)
    }
    var members: [Expression.Member] = []
    for element in document.elements {
      if element.key.utf8.first == UInt8(ascii: "$") {
        throw .at(
          16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.")
      }
      if element.key.contains(".") {
        throw .at(16412, "FieldPath field names may not contain '.'. Consider using $getField or $setField.")
      }
      members.append(Expression.Member(name: element.key, expression: try parse(element.value)))
    }
    return .document(members)
  }

  private mutating func call(_ name: String, _ operand: Value) throws(DocumentsError) -> Expression {
    switch name {
    case "$literal", "$const": return .literal(operand)
    case "$and": return .and(try list(operand))
    case "$or": return .or(try list(operand))
    case "$ifNull":
      let values = try list(operand)
      if values.count < 2 {
        throw .at(1_257_300, "$ifNull needs at least two arguments, had: \(values.count)")
      }
      return .firstNotNull(values)
    case "$cond": return try condition(operand)
    case "$switch": return try branches(operand)
    case "$let": return try binding(operand)
    case "$map": return try map(operand)
    case "$filter": return try filter(operand)
    case "$reduce": return try reduce(operand)
    case "$function", "$accumulator", "$where":
      throw DocumentsError(
        .commandNotSupported, "\(name) is not supported: JavaScript runs in functions only")
    default: break
    }
    if let function = ExpressionFunction.all[name] {
      let arguments = try list(operand)
      guard function.least <= arguments.count, arguments.count <= function.most else {
        throw arity(function, arguments.count)
      }
      return .call(function, arguments)
    }
    if let function = NamedFunction.all[name] { return try named(function, operand) }
    throw DocumentsError(.location(168), "Unrecognized expression '\(name)'")
  }

  private func arity(_ function: ExpressionFunction, _ count: Int) -> DocumentsError {
    if function.least == function.most {
      return .at(
        16020,
        "Expression \(function.name) takes exactly \(function.least) arguments. \(count) were passed in.")
    }
    return .at(
      28667,
      "Expression \(function.name) takes at least \(function.least) arguments, and at most \(function.most), but \(count) were passed in."
    )
  }

  /// The arguments: those of an array, or the one that the operand is.
  private mutating func list(_ operand: Value) throws(DocumentsError) -> [Expression] {
    guard case .array(let values) = operand else { return [try parse(operand)] }
    var arguments: [Expression] = []
    for value in values { arguments.append(try parse(value)) }
    return arguments
  }

  private mutating func named(_ function: NamedFunction, _ operand: Value) throws(DocumentsError)
    -> Expression
  {
    var arguments: [Expression?] = Array(repeating: nil, count: function.parameters.count)
    var members: Document?
    if let document = operand.asDocument,
      !function.takesValue || document.elements.first?.key.utf8.first != UInt8(ascii: "$")
    {
      members = document
    }
    guard let members else {
      guard function.takesValue else {
        throw .failedToParse("\(function.name) only supports an object as its argument")
      }
      // `{$year: ["$date"]}` is `{$year: "$date"}`.
      if case .array(let values) = operand {
        guard values.count == 1 else {
          throw .at(
            40536,
            "\(function.name) accepts exactly one argument if given an array, but was given \(values.count)")
        }
        arguments[0] = try parse(values[0])
      } else {
        arguments[0] = try parse(operand)
      }
      if function.name == "$getField" { arguments[1] = .variable("CURRENT", []) }
      return .named(function, arguments)
    }
    for element in members.elements {
      guard let index = function.parameters.firstIndex(of: element.key) else {
        throw .at(40535, "unrecognized option to \(function.name): \"\(element.key)\"")
      }
      arguments[index] = try parse(element.value)
    }
    for name in function.parameters where function.required.contains(name) {
      if let index = function.parameters.firstIndex(of: name), arguments[index] == nil {
        throw .at(40539, "missing '\(name)' argument to \(function.name)")
      }
    }
    // The field of the document that is looked at, if nothing else is said.
    if function.name == "$getField", arguments[1] == nil { arguments[1] = .variable("CURRENT", []) }
    return .named(function, arguments)
  }

  private func members(
    _ name: String, _ operand: Value, allowing known: [String]
  ) throws(DocumentsError) -> Document {
    guard let document = operand.asDocument else {
      throw .failedToParse("\(name) only supports an object as its argument")
    }
    for element in document.elements where !known.contains(element.key) {
      throw .at(17083, "Unrecognized parameter to \(name): \(element.key)")
    }
    return document
  }

  private func member(_ name: String, of operand: Document, in function: String) throws(DocumentsError)
    -> Value
  {
    guard let value = operand[name] else { throw .at(17080, "Missing '\(name)' parameter to \(function)") }
    return value
  }

  private mutating func condition(_ operand: Value) throws(DocumentsError) -> Expression {
    var parts: [Value]
    if case .array(let values) = operand {
      parts = values
      guard parts.count == 3 else {
        throw .at(16020, "Expression $cond takes exactly 3 arguments. \(parts.count) were passed in.")
      }
    } else {
      let members = try members("$cond", operand, allowing: ["if", "then", "else"])
      parts = []
      for name in ["if", "then", "else"] { parts.append(try member(name, of: members, in: "$cond")) }
    }
    return .condition(try parse(parts[0]), then: try parse(parts[1]), otherwise: try parse(parts[2]))
  }

  private mutating func branches(_ operand: Value) throws(DocumentsError) -> Expression {
    let members = try members("$switch", operand, allowing: ["branches", "default"])
    guard case .array(let cases)? = members["branches"] else {
      throw .at(40061, "$switch expected an array for 'branches', found: \(members["branches"].typeName)")
    }
    if cases.isEmpty { throw .at(40068, "$switch requires at least one branch.") }
    var branches: [Expression.Case] = []
    for value in cases {
      let members = try self.members("$switch", value, allowing: ["case", "then"])
      branches.append(
        Expression.Case(
          condition: try parse(try member("case", of: members, in: "$switch")),
          result: try parse(try member("then", of: members, in: "$switch"))))
    }
    var otherwise: Expression?
    if let value = members["default"] { otherwise = try parse(value) }
    return .branches(branches, otherwise: otherwise)
  }

  private mutating func binding(_ operand: Value) throws(DocumentsError) -> Expression {
    let members = try members("$let", operand, allowing: ["vars", "in"])
    guard let variables = try member("vars", of: members, in: "$let").asDocument else {
      throw .at(10065, "invalid parameter: expected an object (vars)")
    }
    var bindings: [Expression.Member] = []
    for element in variables.elements {
      try check(element.key)
      bindings.append(Expression.Member(name: element.key, expression: try parse(element.value)))
    }
    let body = try parse(try member("in", of: members, in: "$let"), with: variables.elements.map(\.key))
    return .binding(bindings, body)
  }

  /// Reads an expression in which more variables are there.
  private mutating func parse(_ value: Value, with added: [String]) throws(DocumentsError) -> Expression {
    let outside = names
    defer { names = outside }
    names.formUnion(added)
    return try parse(value)
  }

  /// Names of users begin with a lower-case letter, or one that is not of ASCII.
  private func check(_ name: String) throws(DocumentsError) {
    if name == "CURRENT" { return }
    guard let first = name.utf8.first, first >= 0x80 || 0x61...0x7A ~= first else {
      throw .failedToParse("'\(name)' starts with an invalid character for a user variable name")
    }
    for byte in name.utf8 where byte < 0x80 && !Unicode.Scalar(byte).isWord {
      throw .failedToParse("'\(name)' contains an invalid character for a variable name")
    }
  }

  /// The name of the variable that stands for an element.
  private func elementName(_ members: Document) throws(DocumentsError) -> String {
    guard let value = members["as"] else { return "this" }
    guard case .string(let name) = value else { throw .failedToParse("'as' must be a string") }
    try check(name)
    return name
  }

  private mutating func map(_ operand: Value) throws(DocumentsError) -> Expression {
    let members = try members("$map", operand, allowing: ["input", "as", "in"])
    let name = try elementName(members)
    let input = try parse(try member("input", of: members, in: "$map"))
    return .map(input, as: name, try parse(try member("in", of: members, in: "$map"), with: [name]))
  }

  private mutating func filter(_ operand: Value) throws(DocumentsError) -> Expression {
    let members = try members("$filter", operand, allowing: ["input", "as", "cond", "limit"])
    let name = try elementName(members)
    let input = try parse(try member("input", of: members, in: "$filter"))
    let condition = try parse(try member("cond", of: members, in: "$filter"), with: [name])
    var limit: Expression?
    if let value = members["limit"] { limit = try parse(value) }
    return .filter(input, as: name, condition, limit: limit)
  }

  private mutating func reduce(_ operand: Value) throws(DocumentsError) -> Expression {
    let members = try members("$reduce", operand, allowing: ["input", "initialValue", "in"])
    let input = try parse(try member("input", of: members, in: "$reduce"))
    let initial = try parse(try member("initialValue", of: members, in: "$reduce"))
    let body = try parse(try member("in", of: members, in: "$reduce"), with: ["this", "value"])
    return .reduce(input, initial: initial, body)
  }
}
