public import GatehouseBSON

/// An expression of the aggregation language, parsed and checked.
///
/// A value that is missing is nil, and another one than null.
public indirect enum Expression: Sendable {
  case literal(Value)
  /// A field of `$$CURRENT`.
  case path([String])
  case variable(String, [String])
  /// `$$REMOVE`.
  case missing
  case document([Member])
  case array([Expression])
  case call(ExpressionFunction, [Expression])
  /// A function with named arguments, in the order of its parameters; nil where one was not given.
  case named(NamedFunction, [Expression?])
  case and([Expression])
  case or([Expression])
  case condition(Expression, then: Expression, otherwise: Expression)
  case branches([Case], otherwise: Expression?)
  case firstNotNull([Expression])
  case binding([Member], Expression)
  case map(Expression, as: String, Expression)
  case filter(Expression, as: String, Expression, limit: Expression?)
  case reduce(Expression, initial: Expression, Expression)

  /// A named part.
  public struct Member: Sendable {
    let name: String
    let expression: Expression
  }

  /// A case of `$switch`.
  public struct Case: Sendable {
    let condition: Expression
    let result: Expression
  }

  /// Parses an expression: a text that begins with `$` is a path, a document with an operator a call.
  ///
  /// - Parameter variables: names of `$$` beside those of the system.
  public init(_ value: Value, variables: Set<String> = []) throws(DocumentsError) {
    var parser = ExpressionParser(variables: variables)
    self = try parser.parse(value)
  }

  /// The value if it is the same for all documents.
  var constant: Value? {
    if case .literal(let value) = self { value } else { nil }
  }
}
