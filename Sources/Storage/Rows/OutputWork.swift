import GatehouseSQLite

/// Counts what is written as work: objects may be large, and reading them takes hardly any instructions.
struct OutputWork {
  /// Bytes that count like one look at a statement.
  private static let bytesPerLook = 65_536

  private let session: ReadSession
  private var next: Int

  init(_ session: ReadSession, from count: Int) {
    self.session = session
    next = count + Self.bytesPerLook
  }

  /// There are so many bytes now. Throws ``StorageError/timeLimit`` where the connection's limits say so.
  @inline(__always)
  mutating func note(_ count: Int) throws(StorageError) {
    if count >= next { try look(count) }
  }

  private mutating func look(_ count: Int) throws(StorageError) {
    while next <= count {
      next += Self.bytesPerLook
      if session.connection.mustStop { throw .timeLimit }
    }
  }
}
