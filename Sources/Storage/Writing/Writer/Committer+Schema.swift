import GatehouseModel

extension Committer {
  /// Changes the schema, and with it the tables.
  func migrate(_ plan: SchemaPlan) -> Result<SchemaOutcome, StorageError> {
    let before = mark
    do throws(StorageError) {
      guard let (plan, renamed) = try admit(plan) else {
        return .success(SchemaOutcome(version: version, changed: false))
      }
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

  /// Begins a transaction with a change of the schema.
  func beginReshaping(_ plan: SchemaPlan) throws(StorageError) {
    let admitted = try admit(plan)
    clearCache()
    try begin()
    if let (plan, renamed) = admitted { try migrate(plan, from: renamed) }
  }

  /// Changes the schema in the transaction that is open, whose operations are logged.
  func reshape(_ plan: SchemaPlan) throws(StorageError) {
    guard let (plan, renamed) = try admit(plan) else { return }
    clearCache()
    try migrate(plan, from: renamed)
  }

  /// Returns the plan as it may be carried out, and the catalog with the names that it gives; nil: there is nothing to change.
  private func admit(
    _ plan: SchemaPlan
  ) throws(StorageError) -> (plan: SchemaPlan, renamed: Catalog)? {
    try requireCatalog()
    let plan = try plan.keeping(view.options.appendOnlyClasses, of: catalog.schema)
    guard plan.schema != catalog.schema else { return nil }
    guard plan.generation == nil || plan.generation == catalog.generation else { throw .schemaChanged }
    try plan.requireClasses(beside: catalog.schema, where: RecordTable(session).admits(view.options.allow))
    let renamed = try plan.renamed(catalog)
    let losses = renamed.schema.difference(to: plan.schema).destructive.filter {
      !$0.isTried(in: plan.schema)
    }
    guard plan.isDestructive || losses.isEmpty else { throw .destructiveChange(losses) }
    return (plan, renamed)
  }

  /// Performs steps in one SQLite transaction: all, or none; none either where it is only tried.
  func migrate(_ steps: [MigrationStep], isTrial: Bool) -> Result<Int64, OperationError> {
    connection.withLargeCache {
      let before = mark
      var index = 0
      do throws(StorageError) {
        guard !isFull else { throw .diskFull }
        clearCache()
        try begin()
        if isTrial { replication?.beginSavepoint() }
        for step in steps {
          try perform(step)
          index += 1
        }
        let reached = version
        guard !isTrial else {
          reload(before)
          return .success(reached)
        }
        try commit(isReshaped: true)
        didCommit()
        return .success(reached)
      } catch {
        reload(before)
        publish(error)
        return .failure(OperationError(operation: index, reason: error))
      }
    }
  }

  private func perform(_ step: MigrationStep) throws(StorageError) {
    for change in step.changes {
      switch change {
      case .schema(let schema, let renames, let isDestructive):
        let plan = SchemaPlan(
          schema: schema, isDestructive: isDestructive, renames: renames, generation: nil)
        guard let (admitted, renamed) = try admit(plan) else { continue }
        clearCache()
        try migrate(admitted, from: renamed)
      case .operation(let operation):
        do throws(OperationError) { _ = try perform(Transaction([operation])) } catch { throw error.reason }
      }
    }
    let records = RecordTable(session)
    guard try records.meets(step.record) else { throw .schemaChanged }
    try records.perform(step.record)
    for other in step.others { try records.perform(other) }
  }

  /// Performs what follows from a change of the schema, in the same SQLite transaction.
  private func run(_ hook: CommitHook?) throws(StorageError) {
    guard let hook else { return }
    var transaction = Transaction([])
    transaction.hook = hook
    do throws(OperationError) { _ = try perform(transaction) } catch { throw error.reason }
  }
}
