import Model
import Query
import SQLite

extension WriteSession {
  /// Does the same to every object that the plan matches now, earlier operations of the transaction included.
  func perform(_ action: Operation.Action, onEach plan: Plan) throws(StorageError) -> Outcome {
    let table = try catalog.topLevelIndex(of: plan.objectType)
    // First all keys: what is changed may decide what matches.
    let keys = try keys(plan)
    for key in keys {
      try deadline.check()
      let subject = ChangeRecorder.Subject(table: table, key: key)
      let id = try knownIdentifier(of: subject)
      try admit(subject, id)
      try perform(action, on: subject, id)
      if settlesEarly, recorder.isFull { try settle(action) }
    }
    var effect = Commit.Result.Effect.updated
    if case .delete = action { effect = .deleted }
    return Outcome(subject: nil, id: .null, effect: keys.isEmpty ? .unchanged : effect, count: keys.count)
  }

  private func perform(
    _ action: Operation.Action, on subject: ChangeRecorder.Subject, _ id: Mixed
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
    guard let limit = options.bulkObjects, newBytes > limit << 10 else { return }
    throw .tooManyObjects(limit: limit)
  }

  /// What clients identify an object by, which is there.
  private func knownIdentifier(of subject: ChangeRecorder.Subject) throws(StorageError) -> Mixed {
    let table = catalog.tables[subject.table]
    guard table.objectType.primaryKey != nil else { return .int(subject.key) }
    let statement = try statements[subject.table][.identifier]
    statement.bind(subject.key, at: 1)
    defer { statement.reset() }
    return try reading.step(statement) ? statement.value(as: table.identifierType, at: 0) : .null
  }

  private func keys(_ plan: Plan) throws(StorageError) -> [Int64] {
    let chooser = try AccessChooser(plan, catalog: catalog)
    let access = chooser.isQuestionable ? try chooser.access(in: reading) : .open
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
