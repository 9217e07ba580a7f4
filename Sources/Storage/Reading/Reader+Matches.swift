import GatehouseQuery
import GatehouseSQLite

extension Reader {
  /// Returns the objects that the plan matches, in its order; the first one alone where those of other classes decide which
  /// do.
  ///
  /// Throws ``StorageError/tooManyObjects(limit:)`` where they are more than `limit`, and
  /// ``StorageError/schemaChanged`` where the schema is of another generation; nil: no matter.
  func matches(
    _ plan: Plan, atMost limit: Int, generation: Int64?
  ) throws(StorageError) -> MatchedObjects {
    try currentSnapshot { _ throws(StorageError) in
      let catalog = session.catalog
      guard generation == nil || generation == catalog.generation else { throw .schemaChanged }
      let table = try catalog.topLevelIndex(of: plan.objectType)
      let page = try runner.page(plan, columns: "t._key", in: session)
      try runner.begin(page, of: plan, in: session)
      let statement = try session.recent(page.sql.text)
      page.sql.bind(to: statement)
      defer { statement.reset() }
      let isOfOneClass = plan.isOfOneClass
      var keys: [Int64] = []
      while try session.step(statement) {
        guard keys.count < limit else { throw .tooManyObjects(limit: limit) }
        keys.append(statement.int64(at: 0))
        if !isOfOneClass { break }
      }
      let version = try LogReader(session: session).lastVersion()
      return MatchedObjects(
        table: table, generation: catalog.generation, version: version, isOfOneClass: isOfOneClass,
        keys: keys)
    }
  }
}
