extension Reader {
  /// Calls `body` with the state of the file as it is now.
  public func snapshot<Answer>(
    _ body: (Snapshot) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try currentSnapshot { _ throws(StorageError) in
      let log = LogReader(session: session, tail: tail)
      return try body(
        Snapshot(
          session: session, images: images(), log: log, bounds: try log.bounds(), translation: translation))
    }
  }
}
