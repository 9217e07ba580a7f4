import GatehouseSQLite

/// The table of records.
struct RecordTable {
  /// Files of the same format may come from before there were records.
  static let definition = """
    CREATE TABLE IF NOT EXISTS _records (
      kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key)
    ) WITHOUT ROWID;
    """

  private let session: ReadSession

  init(_ session: ReadSession) {
    self.session = session
  }

  func value(_ name: Record.Name) throws(StorageError) -> [UInt8]? {
    let statement = try session.cached("SELECT value FROM _records WHERE kind = ?1 AND key = ?2")
    bind(name, to: statement)
    defer { statement.reset() }
    return try session.step(statement) ? statement.bytes(at: 0) : nil
  }

  /// Those of a kind whose keys come behind `key`, in order.
  func all(_ kind: String, after key: String, limit: Int) throws(StorageError) -> [Record] {
    let statement = try session.cached(
      "SELECT key, value FROM _records WHERE kind = ?1 AND key > ?2 ORDER BY key LIMIT ?3")
    statement.bind(kind, at: 1)
    statement.bind(key, at: 2)
    statement.bind(Int64(limit), at: 3)
    defer { statement.reset() }
    var records: [Record] = []
    while try session.step(statement) {
      records.append(
        Record(name: Record.Name(kind, statement.string(at: 0)), value: statement.bytes(at: 1)))
    }
    return records
  }

  /// Those of a kind whose keys begin with `prefix`, in order.
  func all(_ kind: String, withPrefix prefix: String, limit: Int) throws(StorageError) -> [Record] {
    let statement = try session.cached(
      "SELECT key, value FROM _records WHERE kind = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4")
    bind(Record.Name(kind, prefix), to: statement)
    statement.bind(Record.Name(kind, prefix).end, at: 3)
    statement.bind(Int64(limit), at: 4)
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
    let statement = try session.cached(
      "SELECT count(*) FROM _records WHERE kind = ?1 AND key >= ?2 AND key < ?3")
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
      statement = try session.cached("DELETE FROM _records WHERE kind = ?1 AND key >= ?2 AND key < ?3")
      bind(change.name, to: statement)
      statement.bind(change.name.end, at: 3)
    } else if let value = change.value {
      statement = try session.cached("INSERT OR REPLACE INTO _records (kind, key, value) VALUES (?1, ?2, ?3)")
      bind(change.name, to: statement)
      statement.bind(blob: value, at: 3)
    } else {
      statement = try session.cached("DELETE FROM _records WHERE kind = ?1 AND key = ?2")
      bind(change.name, to: statement)
    }
    while try session.step(statement) {}
  }

  private func bind(_ name: Record.Name, to statement: Statement) {
    statement.bind(name.kind, at: 1)
    statement.bind(name.key, at: 2)
  }
}
