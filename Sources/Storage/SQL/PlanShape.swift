import GatehouseModel
import GatehouseQuery

/// All that the statement for a page of a plan depends on: the plan without its constants.
struct PlanShape: Hashable {
  let objectType: String
  let predicate: PredicateShape
  let clauses: [Plan.Clause]
  let pageSize: Int?
  /// Which values of the cursor are null; nil: there is none.
  let cursor: [Bool]?
  /// The columns that the statement selects before the terms that it orders by.
  let columns: String
  /// The classes that statements ask about with ``Residuals``; nil: everything may be seen.
  let concealed: Set<String>?

  /// The shape of the plan, and the constants that it leaves out: those of the predicate, then those of the cursor.
  static func of(_ plan: Plan, columns: String) -> (shape: PlanShape, constants: [ShapedConstant]) {
    var constants: [ShapedConstant] = []
    let predicate = PredicateShape(plan.predicate, &constants)
    if let cursor = plan.cursor {
      for value in cursor.values { constants.append(ShapedConstant(value: value, type: .mixed)) }
      constants.append(ShapedConstant(value: .int(cursor.key.value), type: .int))
    }
    let shape = PlanShape(
      objectType: plan.objectType, predicate: predicate, clauses: plan.clauses, pageSize: plan.pageSize,
      cursor: plan.cursor.map { $0.values.map { $0 == .null } }, columns: columns,
      concealed: plan.visibility?.concealed)
    return (shape, constants)
  }
}
