internal import GatehouseModel

/// An operand and what its surroundings must know of it.
struct BoundOperand {
  var operand: Operand
  /// The type of its values; nil: null, or types.
  var type: ElementType?
  var quantifier: Quantifier?
  /// Whether it can yield any number of values.
  var isMany: Bool
  /// Whether those are picked from many collections, and so have no order.
  var isPicked = false
  var offset: Int

  init(
    _ operand: Operand, type: ElementType?, quantifier: Quantifier? = nil, isMany: Bool = false, offset: Int
  ) {
    self.operand = operand
    self.type = type
    self.quantifier = quantifier
    self.isMany = isMany
    self.offset = offset
  }

  /// Whether it does not depend on the object.
  var isConstant: Bool { operand.isConstant }

  /// Whether it stands for types of values, and not for values.
  var isOfTypes: Bool {
    if case .constant(.types) = operand { true } else { operand.yieldsTypes }
  }

  /// Whether it is compared value by value in order with another such.
  var isOrdered: Bool { isMany && !isPicked && quantifier == nil }

  var isNull: Bool {
    if case .constant(.value(.null)) = operand { true } else { false }
  }

  /// Whether it yields the values of a collection that holds no objects.
  var isValueCollection: Bool {
    guard case .path(let path) = operand else { return false }
    switch path.end {
    case .elements, .nestedElements, .keys: return true
    case .object, .key, .value, .nested, .element, .entry, .function: return false
    }
  }

  /// The path of a property of the object's own that is not a collection.
  var ownProperty: KeyPath? {
    guard case .path(let path) = operand, path.hops.isEmpty, case .value = path.end else { return nil }
    return path
  }
}
