public import GatehouseModel

/// An expression of the query language that gives values for an object: `price * quantity`, `country`, or, of a predicate, whether
/// it holds.
public struct ValueExpression: Hashable, Sendable {
  private enum Content: Hashable, Sendable {
    case value(Operand)
    case truth(Predicate)
  }

  private let content: Content
  /// Whether it can give any number of values; else it gives one, or null.
  public let isMany: Bool

  /// Reads a text, and binds it to a class. Literals take on `type` where they stand alone; for a link, the type of the primary key
  /// that they are then.
  ///
  /// - Parameter allowsMany: Whether it may give any number of values.
  public init(
    _ text: String, as type: ElementType, allowsMany: Bool = false, schema: Schema, objectType: String
  ) throws(QueryError) {
    var binder = Binder(schema: schema, arguments: [])
    let objectType = try binder.constants.objectType(objectType, offset: 0)
    switch try Parser.expression(of: text) {
    case .predicate(let node):
      content = .truth(try binder.predicate(node, on: objectType))
      isMany = false
    case .value(let term):
      let bound = try binder.bound(term, hint: type.literalType(in: schema), on: objectType)
      if bound.isMany && !allowsMany || bound.quantifier != nil {
        throw .comparesCollections(offset: bound.offset)
      }
      if case .object(let found)? = bound.type {
        guard case .object(let target) = type else { throw .incompletePath(offset: bound.offset) }
        guard found == target else {
          throw .linkTypeMismatch(offset: bound.offset, expected: target, found: found)
        }
      }
      if bound.isOfTypes { throw .incompletePath(offset: bound.offset) }
      content = .value(bound.operand)
      isMany = bound.isMany
    }
  }

  /// Returns the value for an object; null behind a link that leads nowhere.
  public func value<Object: ObjectView>(of object: Object) -> Mixed { values(of: object).first ?? .null }

  /// Returns the values for an object, in the order that they have.
  public func values<Object: ObjectView>(of object: Object) -> [Mixed] {
    switch content {
    case .value(let operand): operand.values(of: object).flatMap { $0 }
    case .truth(let predicate): [.bool(predicate.matches(object))]
    }
  }
}

extension ElementType {
  /// The type that a literal in the place of a value of this one has; nil: that of its spelling.
  fileprivate func literalType(in schema: Schema) -> ElementType? {
    switch self {
    case .mixed: nil
    case .object(let name): schema[name]?.primaryKey?.type.stored?.element ?? .int
    default: self
    }
  }
}
