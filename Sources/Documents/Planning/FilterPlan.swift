public import GatehouseModel
public import GatehouseQuery

/// The part of a filter that a predicate on a class says, for SQL to find the objects by.
public struct FilterPlan: Sendable {
  /// Holds for every object whose document the filter matches.
  public let predicate: Predicate
  /// Whether it holds for no other object; otherwise the filter has to be asked about each.
  public let isExact: Bool
  /// The identifier of the only object that the filter asks for; nil: it asks for something else.
  public let identifier: Mixed?
  /// The most conditions of a predicate: more are for the evaluator, which takes them one by one.
  private static let mostConditions = 512

  /// - Parameter type: the class; `_id` is its primary key, whatever its name.
  public init(_ filter: Filter, for type: ObjectType) {
    let planner = FilterPlanner(type: type)
    let part = planner.part(of: filter.root)
    let isPlanned = part.predicate.conditions <= Self.mostConditions
    predicate = isPlanned ? part.predicate : .always
    isExact = isPlanned && part.isExact
    precondition(
      !isExact || !filter.hasExpressions && filter.near == nil && !filter.searchesText,
      "a predicate that is exact says all of its filter")
    identifier = isExact && filter.asksForOneID ? predicate.equalValue : nil
  }
}

extension Filter {
  /// Whether it is `{_id: value}`.
  public var asksForOneID: Bool {
    var node = root
    while case .all(let nodes) = node, nodes.count == 1 { node = nodes[0] }
    if case .test(["_id"], .compare(.equal, _)) = node { return true }
    return false
  }
}

extension Predicate {
  /// The value that something has to be equal to, where there is no other condition.
  fileprivate var equalValue: Mixed? {
    switch self {
    case .all(let parts) where parts.count == 1: return parts[0].equalValue
    case .comparison(let comparison):
      guard comparison.relation == .equal(caseSensitive: true),
        case .constant(.value(let value)) = comparison.right, value != .null
      else { return nil }
      return value
    case .all, .any, .not, .fullText, .within, .unguarded: return nil
    }
  }

  /// The number of its parts.
  fileprivate var conditions: Int {
    switch self {
    case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.conditions }
    case .not(let part): 1 + part.conditions
    case .comparison, .fullText, .within, .unguarded: 1
    }
  }
}
