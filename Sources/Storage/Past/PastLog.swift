import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Reads the change log by a reader of the present, from its end back.
struct PastLog {
  let reader: Reader

  /// Calls `body` with each change after a version, up to `last`, the last one first: in the terms of the schema as it is,
  /// without the values after it, and with the bytes of its images.
  ///
  /// Throws ``StorageError/positionExpired``, and ``StorageError/pastUnavailable(_:)`` where a change of the schema has
  /// dropped values since the version.
  func forEachChange(
    from last: Int64, backTo version: Int64, _ body: (LoggedChange, Int) throws -> Void
  ) throws {
    try reader.held { _ in
      guard version >= (try LogReader(session: reader.session).bounds().floor) else {
        throw StorageError.positionExpired
      }
      let steps = try reader.translation.steps(after: LogPosition(version: version), reader.session)
      if steps.loseValues(after: version) { throw StorageError.pastUnavailable(.schemaChanged) }
      let row = try reader.session.cached(LogStatements.changesBackward)
      row.bind(version, at: 1)
      row.bind(last, at: 2)
      defer { row.reset() }
      while try reader.session.step(row) {
        let (change, size) = try row.replacedChange()
        if let change = steps.translate(change) { try body(change, size) }
      }
    }
  }

  /// Returns what `body` reads where the store has that version now; nil: it has another one.
  func answer<Answer>(at version: Int64, _ body: (Reader) throws -> Answer) throws -> Answer? {
    try reader.held { _ in
      try LogReader(session: reader.session).lastVersion() == version ? try body(reader) : nil
    }
  }
}

extension Statement {
  /// Reads the row of a change, but for the values after it, and the bytes of its images.
  fileprivate func replacedChange() throws(StorageError) -> (change: LoggedChange, size: Int) {
    guard let operation = StoredOperation(rawValue: int64(at: 4))?.operation else {
      throw .corrupt("operation in the log")
    }
    let position = LogPosition(version: int64(at: 0), ordinal: int64(at: 1))
    let size = blob(at: 5).count + blob(at: 7).count
    let isSchema = operation == .schema
    let change = LoggedChange(
      position: position, time: Date(seconds: 0), objectType: string(at: 2), key: ObjectKey(int64(at: 8)),
      id: try mixed(at: 3), operation: operation,
      before: isSchema || isNull(at: 5) ? nil : try LoggedChange.image(of: blob(at: 5)), after: nil,
      elements: isSchema || isNull(at: 7) ? [] : try LoggedChange.elements(of: blob(at: 7)))
    return (change, size)
  }
}
