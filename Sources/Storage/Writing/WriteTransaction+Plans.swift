import Model
import Query
import SQLite

extension WriteTransaction {
  /// Does the same to every object that the plan matches now, earlier operations of the transaction included.
  func perform(_ action: Operation.Action, onEach plan: Plan) throws(StorageError) -> Outcome {
    let table = try catalog.topLevelIndex(of: plan.objectType)
    // First all keys: what is changed may decide what matches.
    let keys = try keys(plan)
    let bytesBefore = newBytes
    for (index, key) in keys.enumerated() {
      try deadline.check()
      let subject = RowAddress(table: table, key: key)
      let id = try knownIdentifier(of: subject)
      try admit(subject, id)
      try perform(action, on: subject, id)
      guard settlesEarly, index == 0 || recorder.isFull else { continue }
      try settle(action)
      // All take about as much as the first: what would be too much ends here, before it is written.
      if index == 0 { try checkBytes(of: keys.count, each: newBytes - bytesBefore) }
    }
    var effect = Commit.Result.Effect.updated
    if case .delete = action { effect = .deleted }
    return Outcome(subject: nil, id: .null, effect: keys.isEmpty ? .unchanged : effect, count: keys.count)
  }

  private func perform(
    _ action: Operation.Action, on subject: RowAddress, _ id: Mixed
  ) throws(StorageError) {
    switch action {
    case .update(let patch): _ = try update(subject, id, patch)
    case .edit(let edit): _ = try self.edit(subject, id, edit)
    case .delete: _ = try delete(subject, id)
    }
  }

  /// Logs what will not change any more and forgets it, so that the number of objects takes no memory.
  ///
  /// Each object has its turn once. Those that others are deleted from, which they linked to, may still have theirs.
  private func settle(_ action: Operation.Action) throws(StorageError) {
    try checkGuards()
    let entries =
      switch action {
      case .delete: recorder.takeEntries { $0.kind == .deleted }
      case .update, .edit: recorder.takeEntries { _ in true }
      }
    for entry in entries { _ = try log(entry) }
    try checkBytes(of: 1, each: newBytes)
  }

  /// Throws ``StorageError/tooManyObjects(limit:)`` where so many objects with so many new bytes each are more than a
  /// KiB for each object that may be changed at once.
  private func checkBytes(of count: Int, each bytes: Int) throws(StorageError) {
    guard let limit = options.bulkObjects, bytes > 0, bytes > (limit << 10) / count else { return }
    throw .tooManyObjects(limit: limit)
  }

  /// What clients identify an object by, which is there.
  private func knownIdentifier(of subject: RowAddress) throws(StorageError) -> Mixed {
    let table = catalog.tables[subject.table]
    guard table.objectType.primaryKey != nil else { return .int(subject.key) }
    let statement = try statements[subject.table][.identifier]
    statement.bind(subject.key, at: 1)
    defer { statement.reset() }
    return try reading.step(statement) ? statement.value(as: table.identifierType, at: 0) : .null
  }

  private func keys(_ plan: Plan) throws(StorageError) -> [Int64] {
    let chooser = try AccessChooser(plan, catalog: catalog)
    let access = chooser.isQuestionable ? try chooser.access(in: reading) : .automatic
    var compiler = try PlanCompiler(plan, catalog: catalog, access: access)
    let sql = try compiler.page(plan, columns: "t._key")
    residuals.prepare(compiler.residuals, in: reading)
    let statement = try reading.prepare(sql.text)
    sql.bind(to: statement)
    defer { statement.reset() }
    let limit = options.bulkObjects ?? .max
    return try deadline.reading(on: reading.connection) { () throws(StorageError) in
      var keys: [Int64] = []
      while try reading.step(statement) {
        guard keys.count < limit else { throw .tooManyObjects(limit: limit) }
        keys.append(statement.int64(at: 0))
      }
      return keys
    }
  }
}
