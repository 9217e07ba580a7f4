import GatehouseSQLite

extension Reader {
  /// Returns what `body` reads through this reader, all of it from one state of the file. The time limit of a query is that of
  /// all of it.
  public func reading<Answer>(_ body: (Reader) throws -> Answer) throws -> Answer {
    try held { _ throws in try body(self) }
  }

  /// Whether what is being read has to end, since its time is over or nobody waits for it any more: for work on the objects
  /// beside the statements, which stop by themselves.
  public var mustStop: Bool { connection.mustStop }
}
