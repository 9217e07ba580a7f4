public import GatehouseModel
public import GatehouseQuery
import GatehouseSQLite

extension Reader {
  /// Returns how the plan's objects are found.
  public func explain(_ plan: Plan) throws(StorageError) -> Explanation {
    try current { _ throws(StorageError) in
      let page = try runner.page(plan, columns: "t.*", in: session)
      return try Explanation(
        of: plan, by: page.sql, page.residuals, in: session,
        estimate: try AccessChooser(plan, catalog: session.catalog).estimate(in: session),
        objects: Int64(try AccessChooser.count(of: plan.objectType, in: session)))
    }
  }

  /// Returns how the plan's objects would be found by somebody who knows that part of the schema, if no rules were added to
  /// the plan. The numbers are of what they see, which `seen` is restricted to, and so is the choice of indexes: by
  /// nothing that they do not.
  public func explain(
    _ plan: Plan, as seen: Plan, knowing schema: Schema
  ) throws(StorageError) -> Explanation {
    var (matching, all) = (seen, seen)
    (matching.clauses, all.clauses) = ([], [])
    all.predicate = seen.visibility?.conditions[plan.objectType]?.unguarded ?? .always
    let (estimate, objects) = (try count(matching), try count(all))
    return try current { _ throws(StorageError) in
      var compiler = try PlanCompiler(plan, catalog: session.catalog, access: .automatic)
      let sql = try compiler.page(plan, columns: "t.*")
      return try Explanation(
        of: plan, by: sql, compiler.residuals, in: session, estimate: estimate, objects: Int64(objects)
      ).without(session.catalog.tables.flatMap { $0.indexNames(hiddenIn: schema) })
    }
  }
}

extension Explanation {
  fileprivate init(
    of plan: Plan, by sql: SQLText, _ residuals: [Residual], in session: ReadSession, estimate: Int,
    objects: Int64
  ) throws(StorageError) {
    let steps = try QueryStep.all(of: sql, in: session)
    let indexes = steps.compactMap { $0.index(in: sql.text) }
    self.init(
      objectType: plan.objectType, filter: plan.predicate.text(in: session.catalog.schema),
      steps: steps.map(\.text),
      indexes: indexes.enumerated().filter { !indexes[..<$0.offset].contains($0.element) }.map(\.element),
      inMemory: residuals.map { $0.predicate.text(in: session.catalog.schema) },
      estimatedRows: estimate, objects: objects, sql: sql.text)
  }

  /// Has some indexes have no name.
  fileprivate func without(_ names: [String]) -> Explanation {
    let nameless = steps.map { step in names.reduce(step) { $0.replacing($1, with: "?") } }
    return Explanation(
      objectType: objectType, filter: filter, steps: nameless,
      indexes: indexes.filter { !names.contains($0) },
      inMemory: inMemory, estimatedRows: estimatedRows, objects: objects, sql: sql)
  }
}
