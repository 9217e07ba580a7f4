public import Model

/// The plans of the requests seen last, for one schema. Whoever owns it makes a new one for a new schema.
///
/// Two generations stand for an order of use: a plan found in the older one moves to the younger one, and when
/// that is full it becomes the older one.
public struct PlanCache {
  private struct Key: Hashable {
    let objectType: String
    let request: QueryRequest
  }

  private let schema: Schema
  private let capacity: Int
  private var younger: [Key: Plan] = [:]
  private var older: [Key: Plan] = [:]

  /// Keeps at most twice as many plans as `capacity`.
  public init(schema: Schema, capacity: Int = 256) {
    self.schema = schema
    self.capacity = capacity
  }

  /// The plan of the request, made where it is not known.
  public mutating func plan(
    for request: QueryRequest, objectType: String
  ) throws(QueryError) -> Plan {
    let key = Key(objectType: objectType, request: request)
    if let plan = younger[key] { return plan }
    let plan: Plan
    if let known = older[key] {
      plan = known
    } else {
      plan = try Plan(request: request, schema: schema, objectType: objectType)
    }
    if younger.count >= capacity { (older, younger) = (younger, [:]) }
    younger[key] = plan
    return plan
  }
}
