public import GatehouseModel

/// An expression of the query language that gives one value for an object: `price * quantity`, or, of a predicate, whether
/// it holds.
public struct ValueExpression: Hashable, Sendable {
  private enum Content: Hashable, Sendable {
    case value(Operand)
    case truth(Predicate)
  }

  private let content: Content

  /// Reads a text, and binds it to a class; literals take on `type` where they stand alone.
  public init(
    _ text: String, as type: ElementType, schema: Schema, objectType: String
  ) throws(QueryError) {
    var binder = Binder(schema: schema, arguments: [])
    let objectType = try binder.constants.objectType(objectType, offset: 0)
    switch try Parser.expression(of: text) {
    case .predicate(let node): content = .truth(try binder.predicate(node, on: objectType))
    case .value(let term):
      let bound = try binder.bound(term, hint: type == .mixed ? nil : type, on: objectType)
      if bound.isMany || bound.quantifier != nil { throw .comparesCollections(offset: bound.offset) }
      if case .object? = bound.type { throw .incompletePath(offset: bound.offset) }
      if bound.isOfTypes { throw .incompletePath(offset: bound.offset) }
      content = .value(bound.operand)
    }
  }

  /// Returns the value for an object; null behind a link that leads nowhere.
  public func value<Object: ObjectView>(of object: Object) -> Mixed {
    switch content {
    case .value(let operand): operand.values(of: object).first?.first ?? .null
    case .truth(let predicate): .bool(predicate.matches(object))
    }
  }
}
