public import GatehouseModel
public import GatehouseQuery

/// The part of a filter that a predicate on a class says, for SQL to find the objects by.
public struct FilterPlan: Sendable {
  /// Holds for every object whose document the filter matches.
  public let predicate: Predicate
  /// Whether it holds for no other object; otherwise the filter has to be asked about each.
  public let isExact: Bool
  /// Whether the filter asks for one identifier and nothing else.
  public let isOfOneObject: Bool
  /// The most conditions of a predicate: more are for the evaluator, which takes them one by one.
  private static let mostConditions = 512

  /// - Parameter type: the class; `_id` is its primary key, whatever its name.
  public init(_ filter: Filter, for type: ObjectType) {
    let planner = FilterPlanner(type: type)
    let part = planner.part(of: filter.root)
    let isPlanned = part.predicate.conditions <= Self.mostConditions
    predicate = isPlanned ? part.predicate : .always
    isExact = isPlanned && part.isExact
    isOfOneObject = isExact && filter.asksForOneID
  }
}

extension Filter {
  /// Whether it is `{_id: value}`.
  fileprivate var asksForOneID: Bool {
    var node = root
    while case .all(let nodes) = node, nodes.count == 1 { node = nodes[0] }
    if case .test(["_id"], .compare(.equal, _)) = node { return true }
    return false
  }
}

extension Predicate {
  /// The number of its parts.
  fileprivate var conditions: Int {
    switch self {
    case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.conditions }
    case .not(let part): 1 + part.conditions
    case .comparison, .fullText, .within, .unguarded: 1
    }
  }
}
