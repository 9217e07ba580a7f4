public import GatehouseQuery

// Restricts queries. What is hidden has no name in ``schema``, so that no query leads to it.
extension Permit {
  /// Returns the plan restricted to what the caller may see. Throws ``AccessError`` where none of the objects may be seen.
  public func restricted(_ plan: Plan) throws(AccessError) -> Plan {
    _ = try visibility(of: plan.objectType)
    precondition(plan.visibility == nil, "a plan is restricted once")
    return visibility.map { plan.seen(under: $0) } ?? plan
  }
}
