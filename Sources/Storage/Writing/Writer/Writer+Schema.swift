import BSON
import Model
import SQLite

extension Writer {
  /// Changes the schema, and with it the tables.
  func migrate(_ plan: SchemaPlan) -> Result<SchemaOutcome, StorageError> {
    do throws(StorageError) {
      let plan = try plan.keeping(options.appendOnlyClasses, of: current.catalog.schema)
      guard plan.schema != current.catalog.schema else {
        return .success(SchemaOutcome(version: version, changed: false))
      }
      guard plan.generation == nil || plan.generation == current.catalog.generation else {
        throw .schemaChanged
      }
      let catalog = try plan.renamed(current.catalog)
      let losses = catalog.schema.difference(to: plan.schema).destructive
      guard plan.isDestructive || losses.isEmpty else { throw .destructiveChange(losses) }
      let before = current.catalog.schema
      connection.clearCache()
      try execute("BEGIN IMMEDIATE")
      var migration = SchemaMigration(
        from: catalog, before: before, to: plan.schema, counters: current.counters, version: version + 1,
        on: connection)
      let stored = try migration.perform()
      current = try WriteTransaction(
        connection, catalog: stored.catalog, counters: stored.counters, options: options)
      try current.logSchemaChange(
        from: before, to: plan.schema, renames: plan.renames, version: version + 1, time: clock())
      let last = try version(of: plan.hook, after: version + 1)
      try execute("COMMIT")
      version = last
      publish()
      maintenance.didCommit(on: connection)
      return .success(SchemaOutcome(version: version, changed: true))
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      reload()
      note(Result<Void, OperationError>.failure(OperationError(operation: 0, reason: error)))
      return .failure(error)
    }
  }

  /// Performs what follows from a change of the schema, in the same SQLite transaction; returns the last version.
  private func version(of hook: CommitHook?, after version: Int64) throws(StorageError) -> Int64 {
    guard let hook else { return version }
    var transaction = Transaction([])
    transaction.hook = hook
    do throws(OperationError) {
      let commit = try current.perform(transaction, after: version, clock: clock)
      try asOperation { () throws(StorageError) in try current.storeCounters() }
      return commit.version
    } catch {
      throw error.reason
    }
  }

  /// Forgets what a failed migration may have left in memory.
  private func reload() {
    guard let stored = try? CatalogTables(connection).load(),
      let fresh = try? WriteTransaction(
        connection, catalog: stored.catalog, counters: stored.counters, options: options)
    else { return }
    current = fresh
  }
}
