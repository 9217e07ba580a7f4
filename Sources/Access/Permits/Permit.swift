public import Model
public import Query

/// The rights of a caller, bound to a schema. A caller who may do everything has none.
public struct Permit: Sendable {
  public let principal: Principal
  let schema: Schema
  private let classes: [String: ClassPermit]

  /// Binds the role of a principal. Rights that mean nothing in the schema, since it changed or a filter cannot be
  /// bound, are no rights.
  public init(_ principal: Principal, in schema: Schema) {
    self.principal = principal
    self.schema = schema
    var classes: [String: ClassPermit] = [:]
    for type in schema.objectTypes {
      // Embedded objects are a part of those that hold them.
      classes[type.name] = type.isEmbedded ? .all : ClassPermit(principal, type, schema)
    }
    self.classes = classes
  }

  public subscript(objectType: String) -> ClassPermit {
    classes[objectType] ?? .none
  }

  /// Whether all of every object of every class may be read.
  var seesEverything: Bool { classes.values.allSatisfy(\.isOpen) }

  /// Returns the condition on the objects of the class that the caller may see; nil if all of them.
  ///
  /// Throws ``AccessError/reading(objectType:)`` where none may be seen.
  public func visibility(of objectType: String) throws(AccessError) -> Predicate? {
    switch self[objectType].read {
    case .none: throw .reading(objectType: objectType)
    case .some(let predicate): predicate
    case .all: nil
    }
  }

  /// Throws ``AccessError/overview`` where some of the class, or of its objects, is not shown.
  public func requireOverview(of objectType: String) throws(AccessError) {
    _ = try visibility(of: objectType)
    guard self[objectType].isOpen else { throw .overview }
  }

  /// Throws ``AccessError/overview`` where some of some class is not shown.
  public func requireOverview() throws(AccessError) {
    guard seesEverything else { throw .overview }
  }

  /// Throws ``AccessError/writing(objectType:)`` where no object of the class may be written.
  public func requireWriting(_ objectType: String) throws(AccessError) {
    if self[objectType].write == .none { throw .writing(objectType: objectType) }
  }
}

extension ClassPermit {
  fileprivate init(_ principal: Principal, _ type: ObjectType, _ schema: Schema) {
    let rights = principal.role.classes[type.name] ?? principal.role.others
    guard let read = Self.extent(rights.read, principal, type, schema),
      let write = Self.extent(rights.write, principal, type, schema),
      let hidden = Self.positions(rights.hidden, in: type), let fixed = Self.positions(rights.fixed, in: type)
    else {
      self = .none
      return
    }
    self.init(
      read: read.extent, write: write.extent, hidden: hidden, fixed: fixed.union(hidden),
      restriction: read.rule.map { ($0.filter, $0.arguments) })
  }

  private static func extent(
    _ rule: Rule, _ principal: Principal, _ type: ObjectType, _ schema: Schema
  ) -> (extent: Extent, rule: BoundRule?)? {
    switch rule {
    case .never: return (.none, nil)
    case .always: return (.all, nil)
    case .when(let filter):
      let rule = try? BoundRule(filter, for: principal.values, on: type.name, in: schema)
      guard let rule, rule.isPlain else { return nil }
      if rule.lacksValues { return (.none, nil) }
      return (.some(rule.predicate), rule)
    }
  }

  /// Nil where a property is not there: what it was called may be another one now.
  private static func positions(_ names: Set<String>, in type: ObjectType) -> Set<Int>? {
    let positions = names.compactMap { type.index(of: $0) }
    return positions.count == names.count ? Set(positions) : nil
  }
}
