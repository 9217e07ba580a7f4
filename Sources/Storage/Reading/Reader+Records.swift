extension Reader {
  /// Returns the value kept under a name; nil: there is none.
  public func record(_ name: Record.Name) throws(StorageError) -> [UInt8]? {
    try current { _ throws(StorageError) in try RecordTable(session).value(name) }
  }

  /// The records of a kind in the order of their keys, from behind `key` on.
  public func records(
    _ kind: String, after key: String = "", limit: Int = .max
  ) throws(StorageError) -> [Record] {
    try current { _ throws(StorageError) in try RecordTable(session).all(kind, after: key, limit: limit) }
  }

  /// The records of a kind whose keys begin with `prefix`, which ends with an ASCII character, in order.
  public func records(
    _ kind: String, withPrefix prefix: String, limit: Int = .max
  ) throws(StorageError) -> [Record] {
    try current { _ throws(StorageError) in
      try RecordTable(session).all(kind, withPrefix: prefix, limit: limit)
    }
  }

  /// How many records of a kind have keys that begin with `prefix`, which ends with an ASCII character.
  public func countRecords(_ kind: String, withPrefix prefix: String) throws(StorageError) -> Int {
    try current { _ throws(StorageError) in try RecordTable(session).count(kind, withPrefix: prefix) }
  }
}
