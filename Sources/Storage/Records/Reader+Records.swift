extension Reader {
  /// What is kept under that name; nil: nothing.
  public func record(_ name: Record.Name) throws(StorageError) -> [UInt8]? {
    try current { () throws(StorageError) in try RecordTable(session).value(name) }
  }

  /// The records of a kind in the order of their keys, from behind `key` on.
  public func records(
    _ kind: String, after key: String = "", limit: Int = .max
  ) throws(StorageError) -> [Record] {
    try current { () throws(StorageError) in try RecordTable(session).all(kind, after: key, limit: limit) }
  }
}
