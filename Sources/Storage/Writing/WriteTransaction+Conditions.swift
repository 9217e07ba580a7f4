import Model
import Query

// The conditions of a transaction: before an object changes, and once more when all is done, so that operations may
// come in any order.
extension WriteTransaction {
  /// Makes sure that the object, which is there and about to change, may be changed.
  func admit(
    _ subject: RowAddress, _ id: @autoclosure () throws(StorageError) -> Mixed,
    _ precondition: Operation.Precondition = .none
  ) throws(StorageError) {
    guard let condition = conditions[subject.table] else { return }
    try requireVisible(subject, try id(), precondition)
    guard try holds(condition.writable, for: subject) else {
      throw .notPermitted(objectType: catalog.tables[subject.table].objectType.name, id: try id())
    }
    touched.append((subject, operation))
  }

  /// Makes sure that the object, which is there, may be seen. Otherwise it is as if it were not there, with a
  /// precondition that objects that are not there fail.
  func requireVisible(
    _ subject: RowAddress, _ id: Mixed, _ precondition: Operation.Precondition = .none
  ) throws(StorageError) {
    guard let condition = conditions[subject.table] else { return }
    guard try holds(condition.visible, for: subject) else {
      try check(precondition, nil)
      throw .objectNotFound(objectType: catalog.tables[subject.table].objectType.name, id: id)
    }
  }

  /// The object was created.
  func note(_ subject: RowAddress) {
    if conditions[subject.table] != nil { touched.append((subject, operation)) }
  }

  /// Makes sure that everything that was changed, and is still there, may be as it is now.
  func approve() throws(OperationError) {
    defer { touched = [] }
    for (subject, operation) in touched {
      do throws(StorageError) {
        try approve(subject)
      } catch {
        throw OperationError(operation: operation, reason: error)
      }
    }
  }

  private func approve(_ subject: RowAddress) throws(StorageError) {
    guard let condition = conditions[subject.table] else { return }
    let name = catalog.tables[subject.table].objectType.name
    let link = ObjectLink(objectType: name, key: ObjectKey(subject.key))
    let lookup = PropertyLookup(reading)
    guard let object = lookup.object(link) else {
      if let failure = lookup.failure { throw failure }
      return
    }
    let isFine = condition.writable.matches(object)
    if let failure = lookup.failure { throw failure }
    guard isFine else { throw .notPermitted(objectType: name, id: try reading.identifier(of: link)) }
  }

  private func holds(
    _ predicate: Predicate, for subject: RowAddress
  ) throws(StorageError) -> Bool {
    try reading.holds(predicate, for: catalog.tables[subject.table], ObjectKey(subject.key))
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
