import GatehouseModel
import GatehouseQuery

/// Holds objects, as the file has them, against the rules of their classes.
struct RuleCheck {
  /// A rule that an object breaks.
  struct Violation {
    /// The object's properties, keys and indices that lead to the value; empty: it is the object.
    var path: [Step] = []
    /// The class that has the rule.
    let objectType: String
    let constraint: Constraint

    /// A part of a pointer; `property`: where the property is that it names, in which class.
    struct Step {
      let text: String
      var property: (objectType: String, index: Int)?
    }
  }

  private let session: ReadSession
  private let rules: [ClassRules?]

  init(_ session: ReadSession, _ rules: [ClassRules?]) {
    self.session = session
    self.rules = rules
  }

  /// Returns the rules that an object breaks of those for some properties, which may have changed, and for all of it.
  ///
  /// - Parameters:
  ///   - draft: All of an object that is new, where that is known.
  ///   - isAlone: Whether embedded objects are left out.
  func violations(
    of row: RowAddress, in properties: Set<Int>, draft: ObjectDraft? = nil, isAlone: Bool = false
  ) throws(StorageError) -> [Violation] {
    let lookup = PropertyLookup(session)
    let object = StoredObject(
      table: session.catalog.tables[row.table], key: ObjectKey(row.key), lookup: lookup)
    let found = violations(of: object, row.table, in: properties, draft, isAlone: isAlone)
    if let failure = lookup.failure { throw failure }
    return found
  }

  private func violations(
    of object: StoredObject, _ table: Int, in properties: Set<Int>?, _ draft: ObjectDraft? = nil,
    isAlone: Bool = false
  ) -> [Violation] {
    guard let rules = rules[table] else { return [] }
    let type = object.table.objectType
    var found: [Violation] = []
    for index in properties?.sorted() ?? Array(type.properties.indices) {
      let property = type.properties[index]
      let step = Violation.Step(text: property.name, property: (type.name, index))
      if let constraints = rules.values[index] {
        found += broken(constraints, by: object, at: index, draft: draft).map { $0.under(step) }
      }
      if !isAlone, rules.embedding.contains(index) {
        found += embedded(in: object, index).map { $0.under(step) }
      }
    }
    for check in rules.checks where !check.predicate.matches(object) {
      let violation = Violation(objectType: type.name, constraint: .check(check.text))
      let step = check.property.map {
        Violation.Step(text: type.properties[$0].name, property: (type.name, $0))
      }
      found.append(step.map(violation.under) ?? violation)
    }
    return found
  }

  private func broken(
    _ constraints: ValueConstraints, by object: StoredObject, at property: Int, draft: ObjectDraft?
  ) -> [Violation] {
    let type = object.table.objectType
    guard case .one = type.properties[property].type else {
      return broken(constraints, byElementsOf: object, at: property)
    }
    let assignment = draft?.assignments.first { $0.property == property }
    let value: Mixed =
      if draft != nil, assignment == nil { .null } else if case .value(let value)? = assignment?.value {
        value
      } else { object.value(property) }
    return constraints.brokenRule(by: value).map { [Violation(objectType: type.name, constraint: $0)] } ?? []
  }

  private func broken(
    _ constraints: ValueConstraints, byElementsOf object: StoredObject, at property: Int
  ) -> [Violation] {
    let objectType = object.table.objectType.name
    let elements = object.elements(property)
    var found: [Violation] = []
    if let rule = constraints.brokenRule(byCount: elements.count) {
      found.append(Violation(objectType: objectType, constraint: rule))
    }
    var keys: [String]?
    for (index, element) in elements.enumerated() {
      guard let rule = constraints.brokenRule(by: element) else { continue }
      let violation = Violation(objectType: objectType, constraint: rule)
      switch object.table.properties[property].property.type {
      case .map:
        let known = keys ?? object.keys(property)
        keys = known
        found.append(violation.under(Violation.Step(text: known[index])))
      case .list: found.append(violation.under(Violation.Step(text: String(index))))
      // Its elements have no names.
      case .set, .one, .linkingObjects: found.append(violation)
      }
      if found.count >= ValidationError.mostProblems { break }
    }
    return found
  }

  private func embedded(in object: StoredObject, _ property: Int) -> [Violation] {
    let type = object.table.properties[property].property.type
    var found: [Violation] = []
    switch type {
    case .one:
      guard case .link(let link) = object.value(property) else { return [] }
      return violations(at: link, object)
    case .list, .set, .map:
      let keys: [String]? = if case .map = type { object.keys(property) } else { nil }
      for (index, element) in object.elements(property).enumerated() {
        guard case .link(let link) = element else { continue }
        let step = Violation.Step(text: keys?[index] ?? String(index))
        found += violations(at: link, object).map { $0.under(step) }
        if found.count >= ValidationError.mostProblems { break }
      }
    case .linkingObjects: break
    }
    return found
  }

  private func violations(at link: ObjectLink, _ object: StoredObject) -> [Violation] {
    guard let table = try? session.catalog.index(of: link.objectType) else { return [] }
    let target = StoredObject(table: session.catalog.tables[table], key: link.key, lookup: object.lookup)
    return violations(of: target, table, in: nil)
  }
}

extension RuleCheck.Violation {
  /// The same as a part of what holds the object or the value.
  fileprivate func under(_ step: Step) -> RuleCheck.Violation {
    var copy = self
    copy.path.insert(step, at: 0)
    return copy
  }

  /// JSON Pointer (RFC 6901) into the object.
  var pointer: String {
    path.map { "/" + $0.text.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }

  var problem: ValidationProblem {
    ValidationProblem(pointer: pointer, .constraint(constraint, objectType: objectType))
  }
}
