import GatehouseModel
import GatehouseQuery

/// Holds what a transaction changes against its ``ObjectCondition``s: before an object changes, and once more when all
/// is done, so that operations may come in any order. Reads tables, and owns none.
final class ConditionChecks {
  private let statements: WriteStatements
  private let context: WriteContext
  /// The conditions on the objects of classes, by their tables.
  private var conditions: [Int: ObjectCondition] = [:]
  /// Objects of such classes that were changed or created, and by which operation.
  private var touched: [(row: RowAddress, operation: Int)] = []

  init(_ statements: WriteStatements, _ context: WriteContext) {
    self.statements = statements
    self.context = context
  }

  /// Begins a transaction with conditions by the names of classes.
  func begin(_ conditions: [String: ObjectCondition]) {
    if !self.conditions.isEmpty { self.conditions = [:] }
    for (name, condition) in conditions {
      if let table = try? statements.catalog.index(of: name) { self.conditions[table] = condition }
    }
    touched = []
  }

  /// The properties of objects of a class that the caller does not write: those keep their values.
  func kept(in table: Int) -> Set<Int> { conditions[table]?.kept ?? [] }

  /// The fields of documents of a class that the caller does not write.
  func keptFields(in table: Int) -> Set<ExactText> { conditions[table]?.keptFields ?? [] }

  /// Whether an object, which is there, may be seen.
  func isVisible(_ row: RowAddress) throws(StorageError) -> Bool {
    try conditions[row.table].map { condition throws(StorageError) in try holds(condition.visible, for: row) }
      ?? true
  }

  /// Makes sure that an object, which is there and about to change, may be changed.
  func admit(
    _ row: RowAddress, id: @autoclosure () throws(StorageError) -> Mixed,
    _ precondition: Operation.Precondition = .none
  ) throws(StorageError) {
    guard let condition = conditions[row.table] else { return }
    try requireVisible(row, id: try id(), precondition)
    guard try holds(condition.writable, for: row) else {
      throw .notPermitted(objectType: statements.className(of: row), id: try id())
    }
    touched.append((row, context.operation))
  }

  /// Makes sure that an object, which is there, may be seen. Otherwise it is as if it were not there, with a
  /// precondition that objects that are not there fail.
  func requireVisible(
    _ row: RowAddress, id: Mixed, _ precondition: Operation.Precondition = .none
  ) throws(StorageError) {
    guard try isVisible(row) else {
      try precondition.check(nil)
      throw .objectNotFound(objectType: statements.className(of: row), id: id)
    }
  }

  /// Notes that an object was created.
  func didCreate(_ row: RowAddress) {
    if conditions[row.table] != nil { touched.append((row, context.operation)) }
  }

  /// Forgets what was changed and created: conditions are for what the transaction itself does, not for its hook.
  func forgetTouched() { touched = [] }

  /// Makes sure that everything that was changed, and is still there, may be as it is now.
  func approve() throws(OperationError) {
    defer { touched = [] }
    for (row, operation) in touched {
      do throws(StorageError) { try approve(row) } catch {
        throw OperationError(operation: operation, reason: error)
      }
    }
  }

  private func approve(_ row: RowAddress) throws(StorageError) {
    guard let condition = conditions[row.table] else { return }
    let name = statements.className(of: row)
    let lookup = PropertyLookup(statements.session)
    guard let object = lookup.object(ObjectLink(objectType: name, key: ObjectKey(row.key))) else {
      if let failure = lookup.failure { throw failure }
      return
    }
    let isFine = condition.writable.matches(object)
    if let failure = lookup.failure { throw failure }
    guard isFine else { throw .notPermitted(objectType: name, id: try statements.identifier(of: row)) }
  }

  private func holds(_ predicate: Predicate, for row: RowAddress) throws(StorageError) -> Bool {
    try statements.session.holds(predicate, for: statements.catalog.tables[row.table], ObjectKey(row.key))
  }
}

extension Operation.Precondition {
  /// Throws ``StorageError/versionMismatch(current:)`` unless it holds for an object of that version; nil: there is none.
  func check(_ version: Int64?) throws(StorageError) {
    let holds =
      switch self {
      case .none: true
      case .exists: version != nil
      case .absent: version == nil
      case .version(let allowed): version.map { allowed.contains($0) } ?? false
      }
    guard holds else { throw .versionMismatch(current: version) }
  }
}

extension ReadSession {
  /// Whether a predicate, bound to the table's class, holds for the object with that key, which is there.
  func holds(
    _ predicate: Predicate, for table: TableLayout, _ key: ObjectKey
  ) throws(StorageError) -> Bool {
    let lookup = PropertyLookup(self)
    let holds = predicate.matches(StoredObject(table: table, key: key, lookup: lookup))
    if let failure = lookup.failure { throw failure }
    return holds
  }
}
