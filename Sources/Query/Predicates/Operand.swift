public import GatehouseModel

/// One side of a comparison: something that yields values for an object.
///
/// Values come in groups, each group standing for one collection; a comparison holds if it holds for a group.
public indirect enum Operand: Hashable, Sendable {
  case constant(Constant)
  /// A list literal or argument: one group.
  case list([Constant])
  /// The values that the path yields: a group for each innermost collection of values, else one group.
  case path(KeyPath)
  /// The number of elements or objects: for each object before the last hop, or for each collection at the end.
  case count(of: KeyPath)
  /// The path ends in a collection of values: one value for each such collection.
  case elementAggregate(AggregateFunction, KeyPath)
  /// The path has a hop to many objects and ends in a value: one value for all that it yields.
  case targetAggregate(AggregateFunction, KeyPath)
  case subquery(Subquery)
  /// The number of links that lead to the objects that the path arrives at, by any of the hops. The path ends in objects,
  /// or, without hops, is the object itself; links inside mixed values count as well.
  case incomingLinks(to: KeyPath, by: [Hop])
  case arithmetic(Operand, ArithmeticOperator, Operand)

  /// Whether it does not depend on the object.
  var isConstant: Bool {
    switch self {
    case .constant, .list: true
    case .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks, .arithmetic: false
    }
  }

  /// Whether it yields types, which are compared with sets of types.
  var yieldsTypes: Bool {
    guard case .path(let path) = self, case .function(.type, _, _) = path.end else { return false }
    return true
  }
}

/// A value that does not depend on the object.
public enum Constant: Hashable, Sendable {
  /// Anything but a link.
  case value(Mixed)
  /// The object of that class with that primary key (`_key` where the class has none). The store looks it up;
  /// one that is not there equals nothing.
  case object(objectType: String, primaryKey: Mixed)
  /// The types that `@type` is compared with.
  case types(TypeSet)
}

/// The number of objects, counted with duplicates, that match a predicate.
public struct Subquery: Hashable, Sendable {
  /// Ends in objects.
  public let path: KeyPath
  /// BoundOperand to the class that ``path`` arrives at.
  public let predicate: Predicate

  package init(path: KeyPath, predicate: Predicate) {
    precondition(path.end == .object, "what is counted are objects")
    self.path = path
    self.predicate = predicate
  }
}

/// A function of many values that yields one. Nulls and NaN are left out; of no values the sum is 0, the others null.
public enum AggregateFunction: Hashable, Sendable {
  case minimum
  case maximum
  case sum
  case average
}

/// An operation on two numbers.
public enum ArithmeticOperator: Hashable, Sendable {
  case add
  case subtract
  case multiply
  case divide
}

extension AggregateFunction {
  /// The spelling in the language.
  var word: String {
    switch self {
    case .minimum: "@min"
    case .maximum: "@max"
    case .sum: "@sum"
    case .average: "@avg"
    }
  }
}

extension ArithmeticOperator {
  /// The spelling in the language.
  var word: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    }
  }
}
