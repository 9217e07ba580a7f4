import GatehouseSQLite

/// The table of records.
struct RecordTable {
  private let session: ReadSession

  init(_ session: ReadSession) {
    self.session = session
  }

  func value(_ name: Record.Name) throws(StorageError) -> [UInt8]? {
    let statement = try session.cached(RecordStatements.value)
    bind(name, to: statement)
    defer { statement.reset() }
    return try session.step(statement) ? statement.bytes(at: 0) : nil
  }

  /// Returns whether the class of a name may be made: where `isAllowed` says so, and the name is not reserved.
  func admits(_ isAllowed: @escaping (String) -> Bool) -> (String) throws(StorageError) -> Bool {
    { name throws(StorageError) in
      guard isAllowed(name) else { return false }
      return try value(.reservation(ofClass: name)) == nil
    }
  }

  /// Returns the records of a kind whose keys come behind `key`, in order.
  func all(_ kind: String, after key: String, limit: Int) throws(StorageError) -> [Record] {
    let statement = try session.cached(RecordStatements.behindKey)
    statement.bind(kind, at: 1)
    statement.bind(key, at: 2)
    statement.bind(Int64(limit), at: 3)
    return try records(kind, statement)
  }

  /// Returns the records of a kind whose keys begin with `prefix`, in order.
  func all(_ kind: String, withPrefix prefix: String, limit: Int) throws(StorageError) -> [Record] {
    let statement = try session.cached(RecordStatements.inRange)
    bind(Record.Name(kind, prefix), to: statement)
    statement.bind(Record.Name(kind, prefix).end, at: 3)
    statement.bind(Int64(limit), at: 4)
    return try records(kind, statement)
  }

  /// Returns the records of a kind whose keys and values a statement gives.
  private func records(_ kind: String, _ statement: Statement) throws(StorageError) -> [Record] {
    defer { statement.reset() }
    var records: [Record] = []
    while try session.step(statement) {
      records.append(
        Record(name: Record.Name(kind, statement.string(at: 0)), value: statement.bytes(at: 1)))
    }
    return records
  }

  /// How many of a kind have keys that begin with `prefix`.
  func count(_ kind: String, withPrefix prefix: String) throws(StorageError) -> Int {
    let statement = try session.cached(RecordStatements.countInRange)
    bind(Record.Name(kind, prefix), to: statement)
    statement.bind(Record.Name(kind, prefix).end, at: 3)
    defer { statement.reset() }
    return try session.step(statement) ? Int(statement.int64(at: 0)) : 0
  }

  /// Whether the record is as the change expects it.
  func meets(_ change: RecordChange) throws(StorageError) -> Bool {
    switch change.expectation {
    case .anything: true
    case .absent: try value(change.name) == nil
    case .value(let expected): try value(change.name) == expected
    }
  }

  func perform(_ change: RecordChange) throws(StorageError) {
    let statement: Statement
    if change.isOfPrefix {
      statement = try session.cached(RecordStatements.removeRange)
      bind(change.name, to: statement)
      statement.bind(change.name.end, at: 3)
    } else if let value = change.value {
      statement = try session.cached(RecordStatements.set)
      bind(change.name, to: statement)
      statement.bind(blob: value, at: 3)
    } else {
      statement = try session.cached(RecordStatements.remove)
      bind(change.name, to: statement)
    }
    while try session.step(statement) {}
  }

  private func bind(_ name: Record.Name, to statement: Statement) {
    statement.bind(name.kind, at: 1)
    statement.bind(name.key, at: 2)
  }
}
