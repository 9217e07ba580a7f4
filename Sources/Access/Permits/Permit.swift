public import GatehouseModel
public import GatehouseQuery

/// The rights of a caller, bound to a schema. A caller who may do everything has none.
public struct Permit: Sendable {
  public let principal: Principal
  let schema: Schema
  private let classes: [String: ClassPermit]
  /// The part of objects that may be seen where paths lead to them; nil: all.
  public let visibility: Visibility?
  /// Whether what is checked is read under ``visibility``, so that paths may lead anywhere.
  private(set) var isGuarded = false

  /// Binds the role of a principal. Rights that mean nothing in the schema, since it changed or a filter cannot be
  /// bound, are no rights.
  public init(_ principal: Principal, in schema: Schema) {
    self.principal = principal
    self.schema = schema
    var classes: [String: ClassPermit] = [:]
    for type in schema.objectTypes {
      // Embedded objects are a part of those that hold them.
      classes[type.name] = type.isEmbedded ? .all : ClassPermit(of: principal, for: type, in: schema)
    }
    self.classes = classes
    visibility = Visibility(classes)
  }

  /// The same rights, for what is read under ``visibility``.
  public var guarded: Permit {
    var permit = self
    permit.isGuarded = true
    return permit
  }

  public subscript(objectType: String) -> ClassPermit {
    classes[objectType] ?? .none
  }

  /// Whether the caller may read every property of every object of every class.
  var seesEverything: Bool { classes.values.allSatisfy(\.isOpen) }

  /// Whether the caller may read every property of every object of the classes that links of the class lead to or come
  /// from, however far.
  public func seesEverything(around objectType: String) -> Bool {
    schema.classes(around: objectType).allSatisfy { self[$0].isOpen }
  }

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

  /// Throws ``AccessError/overview`` unless the caller may see all of the class' objects, with all properties.
  public func requireOverview(of objectType: String) throws(AccessError) {
    _ = try visibility(of: objectType)
    guard self[objectType].isOpen else { throw .overview }
  }

  /// Throws ``AccessError/overview`` unless the caller may see all objects of all classes, with all properties.
  public func requireOverview() throws(AccessError) {
    guard seesEverything else { throw .overview }
  }

  /// Throws ``AccessError/writing(objectType:)`` if the caller may write no object of the class.
  public func requireWritable(_ objectType: String) throws(AccessError) {
    if self[objectType].write == .none { throw .writing(objectType: objectType) }
  }
}

extension Visibility {
  /// Nil: everything may be seen.
  fileprivate convenience init?(_ classes: [String: ClassPermit]) {
    var conditions: [String: Predicate] = [:]
    var hidden: [String: Set<Int>] = [:]
    for (name, rights) in classes where !rights.isOpen {
      if rights.read != .all { conditions[name] = rights.read.predicate }
      if !rights.hidden.isEmpty { hidden[name] = rights.hidden }
    }
    if conditions.isEmpty, hidden.isEmpty { return nil }
    self.init(conditions: conditions, hidden: hidden)
  }
}

extension ClassPermit {
  fileprivate init(of principal: Principal, for type: ObjectType, in schema: Schema) {
    let rights = principal.role.classes[type.name] ?? principal.role.others
    guard let read = Self.extent(of: rights.read, for: principal, on: type, in: schema),
      let write = Self.extent(of: rights.write, for: principal, on: type, in: schema),
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
    of rule: Rule, for principal: Principal, on type: ObjectType, in schema: Schema
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

  /// Returns the indexes of the properties; nil if one is missing, since it may have been renamed.
  private static func positions(_ names: Set<String>, in type: ObjectType) -> Set<Int>? {
    let positions = names.compactMap { type.index(of: $0) }
    return positions.count == names.count ? Set(positions) : nil
  }
}
