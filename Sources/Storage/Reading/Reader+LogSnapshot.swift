extension Reader {
  /// Calls `body` with the state of the file as it is now, once that is durable: what is told of a version must not become untrue
  /// by a crash.
  public func snapshot<Answer>(
    _ body: (Snapshot) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try currentSnapshot { _ throws(StorageError) in try body(try durableState()) }
  }

  /// Calls `body` with the state of the file as it is now, once that is durable; all that `body` reads through this reader is of that state.
  public func heldSnapshot<Answer>(
    _ body: (Snapshot) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    do { return try held { _ in try body(try durableState()) } } catch let error as StorageError {
      throw error
    } catch {
      preconditionFailure("only reads of the store are made here")
    }
  }

  private func durableState() throws(StorageError) -> Snapshot {
    let log = LogReader(session: session, tail: tail)
    try view.sync.settle()
    return Snapshot(
      session: session, images: images(), log: log, bounds: try log.bounds(), translation: translation)
  }
}
