public import GatehouseModel
public import GatehouseQuery

/// The part of a filter that a predicate on a class says, for SQL to find the objects by.
public struct FilterPlan: Sendable {
  /// Holds for every object whose document the filter matches.
  public let predicate: Predicate
  /// Whether it holds for no other object; otherwise the filter has to be asked about each.
  public let isExact: Bool

  /// - Parameter type: the class; `_id` is its primary key.
  public init(_ filter: Filter, for type: ObjectType) {
    let planner = FilterPlanner(type: type)
    let part = planner.part(of: filter.root)
    predicate = part.predicate
    isExact = part.isExact
  }
}
