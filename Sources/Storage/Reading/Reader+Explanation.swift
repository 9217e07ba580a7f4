public import Query
import SQLite

extension Reader {
  /// How the plan's objects are found.
  public func explain(_ plan: Plan) throws(StorageError) -> Explanation {
    try current { () throws(StorageError) in
      let page = try compiled.page(plan, columns: "t.*", in: session)
      let sql = page.sql
      let statement = try session.prepare("EXPLAIN QUERY PLAN \(sql.text)")
      sql.bind(to: statement)
      var steps: [QueryStep] = []
      while try session.step(statement) { steps.append(QueryStep(text: statement.string(at: 3))) }
      let indexes = steps.compactMap { $0.index(in: sql.text) }
      let objects = try count(of: plan.objectType)
      return Explanation(
        objectType: plan.objectType, filter: plan.predicate.text(in: session.catalog.schema),
        steps: steps.map(\.text),
        indexes: indexes.enumerated().filter { !indexes[..<$0.offset].contains($0.element) }.map(\.element),
        inMemory: page.residuals.map { $0.predicate.text(in: session.catalog.schema) },
        estimatedRows: try AccessChooser(plan, catalog: session.catalog).estimate(in: session),
        objects: objects, sql: sql.text)
    }
  }

  private func count(of objectType: String) throws(StorageError) -> Int64 {
    let statement = try session.cached("SELECT objects FROM _classes WHERE name = ?1")
    statement.bind(objectType, at: 1)
    return try session.integer(statement) ?? 0
  }
}
