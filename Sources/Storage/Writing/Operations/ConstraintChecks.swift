import GatehouseModel
import GatehouseQuery

/// Holds what a transaction made of objects against the rules of their classes, when all is done: on the way there they may break
/// them. Reads tables, and owns none.
final class ConstraintChecks {
  private let statements: WriteStatements
  private let context: WriteContext
  private let rules: [ClassRules?]
  private let check: RuleCheck
  private var visibility: Visibility?

  init(_ base: WriteBase) throws(StorageError) {
    statements = base.statements
    context = base.context
    rules = try ClassRules.all(in: base.statements.catalog)
    check = RuleCheck(base.statements.session, rules)
  }

  /// Begins the transaction of somebody who sees that part of the store.
  func begin(_ visibility: Visibility?) { self.visibility = visibility }

  /// Throws ``StorageError/invalid(_:)`` where an object that was created or changed breaks rules.
  func approve(_ entry: ChangeRecorder.Entry) throws(StorageError) {
    guard let rules = rules[entry.row.table], entry.kind != .deleted else { return }
    let violations: [RuleCheck.Violation]
    if entry.kind == .created {
      let all = Set(rules.values.indices)
      violations = try check.violations(of: entry.row, in: all, draft: entry.draft)
    } else {
      let single = try elementViolations(entry, rules)
      let properties = Set(entry.before.map(\.property)).union(
        entry.elements.map(\.property).filter { rules.embedding.contains($0) })
      violations = try single + check.violations(of: entry.row, in: properties)
    }
    if violations.isEmpty { return }
    var isShown = true
    if entry.kind == .updated, let condition = visibility?.conditions[statements.className(of: entry.row)] {
      let table = statements.catalog.tables[entry.row.table]
      isShown = try statements.session.holds(condition, for: table, ObjectKey(entry.row.key))
    }
    let problems = violations.map { seen($0, isShown: isShown) }
    throw .invalid(ValidationError(Array(problems.prefix(ValidationError.mostProblems))))
  }

  /// Looks at the elements that changed, and not at the whole collection.
  private func elementViolations(
    _ entry: ChangeRecorder.Entry, _ rules: ClassRules
  ) throws(StorageError) -> [RuleCheck.Violation] {
    var found: [RuleCheck.Violation] = []
    for (property, record) in entry.elements {
      guard let constraints = rules.values[property] else { continue }
      let type = statements.catalog.tables[entry.row.table].objectType
      func add(_ constraint: Constraint?) {
        guard let constraint else { return }
        var violation = RuleCheck.Violation(objectType: type.name, constraint: constraint)
        violation.path = [.init(text: type.properties[property].name, property: (type.name, property))]
        found.append(violation)
      }
      if !constraints.spelt.count.isEmpty {
        let place = Location(owner: entry.row, holder: entry.row, root: nil, property: property)
        add(constraints.brokenRule(byCount: try Locator(session: statements.session).count(place)))
      }
      for change in record.elements {
        try context.checkDeadline()
        add(change.after.flatMap { constraints.brokenRule(by: $0) })
      }
    }
    return found
  }

  /// Returns what may be said to who asked for the transaction: of an object that they do not see, or a rule that names what is
  /// hidden from them, only that there is one.
  private func seen(_ violation: RuleCheck.Violation, isShown: Bool) -> ValidationProblem {
    guard let visibility else { return violation.problem }
    let isHidden = violation.path.contains { step in
      step.property.map { visibility.hidden[$0.objectType]?.contains($0.index) == true } ?? false
    }
    var isNamed = true
    if case .check(let text?) = violation.constraint {
      let names = statements.catalog.schema.names(of: visibility.hidden)
      isNamed = !ObjectType.Constraints.mayName(names, check: text)
    }
    guard isShown, !isHidden, isNamed else {
      return ValidationProblem(pointer: "", .constraint(.check(nil), objectType: violation.objectType))
    }
    return violation.problem
  }
}
