import Model
import SQLite

extension WriteTransaction {
  func unite(_ values: [DraftValue], with set: Location) throws(StorageError) {
    try changeSet(set) { (isLogged) throws(StorageError) in
      for value in values {
        let value = try stored(value, in: locator.layout(set), of: set.holder)
        guard try member(value, of: set) == nil else { continue }
        try insert([(.unordered, value)], of: set.property, set.holder)
        if isLogged { try note(nil, member(value, of: set), in: set) }
      }
    }
  }

  func subtract(_ values: [DraftValue], from set: Location) throws(StorageError) {
    try changeSet(set) { (isLogged) throws(StorageError) in
      for value in values {
        try remove(stored(value, in: locator.layout(set), of: set.holder), from: set, isLogged)
      }
    }
  }

  func intersect(_ values: [DraftValue], with set: Location) throws(StorageError) {
    try changeSet(set) { (isLogged) throws(StorageError) in
      let layout = locator.layout(set)
      var kept: [Mixed] = []
      for value in values { kept.append(try stored(value, in: layout, of: set.holder)) }
      for value in try elements(of: set) {
        if !kept.contains(where: { MixedOrder.sortOrder(value, $0) == 0 }) {
          try remove(value, from: set, isLogged)
        }
      }
    }
  }

  private func changeSet(
    _ set: Location, _ body: (_ isLogged: Bool) throws(StorageError) -> Void
  ) throws(StorageError) {
    if set.root != nil {
      return try logged(set) { () throws(StorageError) in try body(false) }
    }
    try body(isLogged(set.property, of: set.owner))
  }

  private func remove(_ value: Mixed, from set: Location, _ isLogged: Bool) throws(StorageError) {
    guard let before = try member(value, of: set) else { return }
    let layout = locator.layout(set)
    let statement = try reading.cached(
      """
      DELETE FROM \(layout.child) WHERE owner = ?1 AND \(layout.member("value")) IS \(layout.member("?2"))
      """)
    statement.bind(set.holder.key, at: 1)
    statement.bind(value, as: layout.element ?? .mixed, at: 2)
    try run(statement)
    if isLogged { try note(before, nil, in: set) }
  }

  /// The image of the value where the set has it.
  private func member(_ value: Mixed, of set: Location) throws(StorageError) -> Mixed? {
    let shape = ElementShape(table: set.holder.table, property: set.property, selector: .value)
    let type = locator.layout(set).element ?? .mixed
    return try element(shape, set.holder.key) { $0.bind(value, as: type, at: 2) }
  }

  private func elements(of set: Location) throws(StorageError) -> [Mixed] {
    let layout = locator.layout(set)
    let statement = try reading.cached("SELECT value FROM \(layout.child) WHERE owner = ?1")
    statement.bind(set.holder.key, at: 1)
    defer { statement.reset() }
    var values: [Mixed] = []
    // Links as the keys that the column has.
    var type = layout.element ?? .mixed
    if case .object = type { type = .int }
    while try reading.step(statement) { values.append(try statement.value(as: type, at: 0)) }
    return values
  }

  private func note(_ before: Mixed?, _ after: Mixed?, in set: Location) throws(StorageError) {
    recorder.didChange(
      ElementChange(.member, before: before, after: after), of: set.property, of: set.owner,
      id: try identifier(of: set.owner))
  }
}
