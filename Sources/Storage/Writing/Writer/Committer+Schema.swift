import GatehouseModel

extension Committer {
  /// Changes the schema, and with it the tables.
  func migrate(_ plan: SchemaPlan) -> Result<SchemaOutcome, StorageError> {
    let before = mark
    do throws(StorageError) {
      let plan = try plan.keeping(view.options.appendOnlyClasses, of: catalog.schema)
      guard plan.schema != catalog.schema else {
        return .success(SchemaOutcome(version: version, changed: false))
      }
      guard plan.generation == nil || plan.generation == catalog.generation else { throw .schemaChanged }
      let renamed = try plan.renamed(catalog)
      let losses = renamed.schema.difference(to: plan.schema).destructive.filter {
        !$0.isTried(in: plan.schema)
      }
      guard plan.isDestructive || losses.isEmpty else { throw .destructiveChange(losses) }
      guard !isFull else { throw .diskFull }
      clearCache()
      try begin()
      try migrate(plan, from: renamed)
      try run(plan.hook)
      try commit(isReshaped: true)
      didCommit()
      return .success(SchemaOutcome(version: version, changed: true))
    } catch {
      reload(before)
      publish(error)
      return .failure(error)
    }
  }

  /// Performs what follows from a change of the schema, in the same SQLite transaction.
  private func run(_ hook: CommitHook?) throws(StorageError) {
    guard let hook else { return }
    var transaction = Transaction([])
    transaction.hook = hook
    do throws(OperationError) { _ = try perform(transaction) } catch { throw error.reason }
  }
}
