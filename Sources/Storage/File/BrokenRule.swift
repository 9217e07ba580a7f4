public import GatehouseModel

/// A rule of a schema that an object breaks, which is there already.
public struct BrokenRule: Hashable, Sendable {
  public let objectType: String
  /// The primary key of the object, or its object key; null: it is embedded, and nobody names it.
  public let id: Mixed
  /// The property, and a JSON Pointer into the object.
  public let problem: ValidationProblem

  public init(objectType: String, id: Mixed, problem: ValidationProblem) {
    self.objectType = objectType
    self.id = id
    self.problem = problem
  }
}
