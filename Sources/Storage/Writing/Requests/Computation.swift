public import GatehouseQuery

/// The value of a property that is computed for each object, from what the store holds when its turn comes.
public struct Computation: Sendable {
  /// Where in the class' properties the property is, which is no map, holds no embedded objects and is not computed.
  public let property: Int
  public let expression: ValueExpression

  public init(_ property: Int, _ expression: ValueExpression) {
    self.property = property
    self.expression = expression
  }
}
