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
      let link = ObjectLink(objectType: plan.objectType, key: ObjectKey(key))
      let id = try reading.identifier(of: link)
      let subject = ChangeRecorder.Subject(table: table, key: key)
      try admit(subject, id)
      try perform(action, on: subject, id)
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
