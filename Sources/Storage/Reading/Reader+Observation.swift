import GatehouseModel
import GatehouseSQLite

extension Reader {
  /// Returns what `body` reads through this reader, from one state of the file, and the objects that its answer shows.
  ///
  /// Numbers, aggregates and entity tags show none; nor do links that are written as primary keys.
  public func observing<Answer>(
    _ body: (Reader) throws -> Answer
  ) throws -> (answer: Answer, observation: Observation) {
    try held { _ throws in
      precondition(session.observer == nil, "one answer at a time is observed")
      let observer = ReadTracker()
      session.observer = observer
      defer { session.observer = nil }
      let answer = try body(self)
      session.observer = nil
      let version = try LogReader(session: session).bounds().last
      var builder = ObservationBuilder(session, images())
      let reads = try builder.reads(of: observer.visits)
      return (answer, Observation(version: version, schema: session.catalog.schema, reads: reads))
    }
  }

  /// Returns what `body` makes of the state of the file that is open, and the objects that this shows.
  func observed<Answer>(
    _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> (answer: Answer, reads: [Observation.Read]) {
    let observer = ReadTracker()
    session.observer = observer
    defer { session.observer = nil }
    let answer = try body()
    session.observer = nil
    var builder = ObservationBuilder(session, images())
    return (answer, try builder.reads(of: observer.visits))
  }
}
