public import GatehouseQuery
import GatehouseSQLite

extension Reader {
  /// Returns how the plan's objects are found.
  public func explain(_ plan: Plan) throws(StorageError) -> Explanation {
    try current { _ throws(StorageError) in
      let page = try runner.page(plan, columns: "t.*", in: session)
      let sql = page.sql
      let steps = try QueryStep.all(of: sql, in: session)
      let indexes = steps.compactMap { $0.index(in: sql.text) }
      let objects = Int64(try AccessChooser.count(of: plan.objectType, in: session))
      return Explanation(
        objectType: plan.objectType, filter: plan.predicate.text(in: session.catalog.schema),
        steps: steps.map(\.text),
        indexes: indexes.enumerated().filter { !indexes[..<$0.offset].contains($0.element) }.map(\.element),
        inMemory: page.residuals.map { $0.predicate.text(in: session.catalog.schema) },
        estimatedRows: try AccessChooser(plan, catalog: session.catalog).estimate(in: session),
        objects: objects, sql: sql.text)
    }
  }
}
