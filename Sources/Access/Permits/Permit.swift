public import GatehouseModel
public import GatehouseQuery

/// The rights of a caller, bound to a schema. A caller who may do everything has none.
public struct Permit: Sendable {
  public let principal: Principal
  /// The schema as the caller knows it: without the properties that are hidden from them.
  public let schema: Schema
  private let classes: [String: ClassPermit]
  /// The part of objects that may be seen where paths lead to them; nil: all.
  public let visibility: Visibility?

  /// Binds the role of a principal. Rights that mean nothing in the schema, since it changed or a filter cannot be
  /// bound, are no rights.
  public init(_ principal: Principal, in schema: Schema) {
    self.init(principal, knowing: principal.role.knownPart(of: schema))
  }

  /// Binds the role of a principal in the schema of which they know that part (``Role/knownPart(of:)``).
  /// `readsAsymmetric` says that it is a function that asks for them, to which asymmetric classes are like others.
  public init(_ principal: Principal, knowing schema: Schema, readsAsymmetric: Bool = false) {
    var classes: [String: ClassPermit] = [:]
    for type in schema.objectTypes {
      let permit = ClassPermit(of: principal, for: type, in: schema.whole)
      classes[type.name] = type.isAsymmetric && !readsAsymmetric ? permit.creating : permit
    }
    self.init(principal, knowing: schema, classes)
  }

  private init(_ principal: Principal, knowing schema: Schema, _ classes: [String: ClassPermit]) {
    self.principal = principal
    self.schema = schema
    self.classes = classes
    visibility = Visibility(classes, in: schema)
    precondition(
      classes.values.allSatisfy { $0.hidden.isSubset(of: $0.fixed) }, "what is hidden is not written either")
    precondition(
      classes.values.allSatisfy { $0.hiddenFields.isSubset(of: $0.fixedFields) },
      "fields that are hidden are not written either")
    precondition(
      classes.values.allSatisfy { $0.read.isPart == ($0.restriction != nil) },
      "who sees a part of the objects has a filter that says which")
    precondition(
      (visibility == nil) == seesEverything, "who may not see everything has a visibility that says what")
  }

  /// The same rights where objects that the caller may not see have been taken out of what there is: also by conditions of
  /// the past, which depend on objects that are gone.
  public var unconditional: Permit {
    Permit(principal, knowing: schema, classes.mapValues(\.unconditional))
  }

  public subscript(objectType: String) -> ClassPermit {
    classes[objectType] ?? .none
  }

  /// Whether the caller may read every property of every object of every class.
  public var seesEverything: Bool { classes.values.allSatisfy(\.isOpen) }

  /// Whether the caller may read every property of every object of the classes that links of the class lead to or come
  /// from, however far.
  public func seesEverything(around objectType: String) -> Bool {
    schema.classes(around: objectType).allSatisfy { self[$0].isOpen }
  }

  /// Returns the condition on the objects of the class that the caller may see; nil if all of them.
  ///
  /// Throws ``AccessError/reading(objectType:)`` where none may be seen.
  public func visibility(of objectType: String) throws(AccessError) -> Predicate? {
    let rights = self[objectType]
    switch rights.read {
    case .none where rights.onlyCreates: throw .asymmetric(objectType: objectType)
    case .none: throw .reading(objectType: objectType)
    case .some(let predicate): return predicate
    case .all: return nil
    }
  }

  /// Throws ``AccessError`` if the caller may change no object of the class.
  public func requireWritable(_ objectType: String) throws(AccessError) {
    try requireCreatable(objectType)
    if self[objectType].onlyCreates { throw .asymmetric(objectType: objectType) }
  }

  /// Throws ``AccessError/writing(objectType:)`` if the caller may write no object of the class.
  func requireCreatable(_ objectType: String) throws(AccessError) {
    if self[objectType].write == .none { throw .writing(objectType: objectType) }
  }
}

extension Visibility {
  /// Nil: everything may be seen.
  fileprivate convenience init?(_ classes: [String: ClassPermit], in schema: Schema) {
    var conditions: [String: Predicate] = [:]
    var hidden: [String: Set<Int>] = [:]
    var hiddenFields: [String: Set<ExactText>] = [:]
    for (name, rights) in classes where !rights.isOpen {
      if rights.read != .all { conditions[name] = rights.read.predicate }
      if !rights.hidden.isEmpty { hidden[name] = rights.hidden }
      if !rights.hiddenFields.isEmpty { hiddenFields[name] = rights.hiddenFields }
    }
    if conditions.isEmpty, hidden.isEmpty, hiddenFields.isEmpty { return nil }
    self.init(conditions: conditions, hidden: hidden, hiddenFields: hiddenFields, in: schema)
  }
}

extension ClassPermit {
  /// The same rights, read where only objects are that may be.
  fileprivate var unconditional: ClassPermit {
    guard case .some = read else { return self }
    var permit = ClassPermit(read: .all, write: write, hidden: hidden, fixed: fixed, restriction: nil)
    (permit.hiddenFields, permit.fixedFields) = (hiddenFields, fixedFields)
    return permit
  }

  /// The rights of a client where the class is asymmetric: the objects that may be written may be created.
  fileprivate var creating: ClassPermit {
    var permit = ClassPermit(read: .none, write: write, hidden: hidden, fixed: fixed, restriction: nil)
    permit.quota = quota
    permit.writeDependsOnTime = writeDependsOnTime
    permit.onlyCreates = true
    return permit
  }

  /// - Parameters:
  ///   - type: The class as the principal knows it.
  ///   - schema: The whole schema, which rules are about.
  fileprivate init(of principal: Principal, for type: ObjectType, in schema: Schema) {
    let rights = principal.role[type.name]
    guard !type.isEmbedded else {
      // Embedded objects are a part of those that hold them.
      self.init(read: .all, write: .all, hidden: type.hidden, fixed: type.hidden, restriction: nil)
      return
    }
    guard let read = Self.extent(of: rights.read, for: principal, on: type, in: schema),
      let write = Self.extent(of: rights.write, for: principal, on: type, in: schema),
      let whole = schema[type.name], case let fixedFields = whole.fields(among: rights.fixed),
      whole.positions(rights.hidden).count + whole.fields(among: rights.hidden).count == rights.hidden.count,
      case let fixed = whole.positions(rights.fixed), fixed.count + fixedFields.count == rights.fixed.count
    else {
      // A property that is missing may have been renamed.
      self = .none
      return
    }
    self.init(
      read: read.extent, write: write.extent, hidden: type.hidden, fixed: fixed.union(type.hidden),
      restriction: read.rule.map { ($0.filter, $0.arguments) })
    hiddenFields = type.hiddenFields
    self.fixedFields = fixedFields.union(type.hiddenFields)
    quota = rights.quota
    writeDependsOnTime = rights.write.usesTime
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
}

extension Role {
  /// Returns the schema as those who have the role know it: without the properties that are hidden from them.
  public func knownPart(of schema: Schema) -> Schema {
    var hidden: [String: Set<Int>] = [:]
    var fields: [String: Set<ExactText>] = [:]
    for type in schema.objectTypes where !type.isEmbedded {
      hidden[type.name] = type.positions(self[type.name].hidden)
      let names = type.fields(among: self[type.name].hidden)
      if !names.isEmpty { fields[type.name] = names }
    }
    return schema.masked(hiding: hidden, fields: fields)
  }

  /// The rights for objects of the class.
  fileprivate subscript(objectType: String) -> ClassRole { classes[objectType] ?? others }
}

extension ObjectType {
  /// Returns where those of the properties are that the class has.
  fileprivate func positions(_ names: Set<String>) -> Set<Int> { Set(names.compactMap { index(of: $0) }) }
}
