public import GatehouseModel
import GatehouseSQLite

/// A transaction whose operations are made one by one, by the thread that began it, which reads what they have changed.
///
/// It has the writer's turn: nobody else writes until it ends. Made by ``Store/beginWrite(limit:isObserved:)``; whoever lets go of it
/// without committing it cancels it.
///
///     open ──commit()──▶ committed
///       └──cancel(), deinit, the time limit──▶ rolled back
public final class InteractiveWrite {
  private let turn: WriterTurn
  private let writer: Writer
  private let committer: Committer
  private let mark: Committer.Mark
  /// Whether it has changed the schema.
  private let isReshaping: Bool
  private var isOpen = true
  /// Why nothing more is taken: an operation has failed when it had changed something.
  private var failure: StorageError?
  /// Reads the store with what the transaction has changed so far.
  public let reader: TypedReader
  /// The version of the last commit before it.
  public let base: Int64

  /// - Parameters:
  ///   - plan: The change of the schema that it begins with; nil: none.
  ///   - isObserved: Whether ``changes()`` will be asked for.
  init(
    of writer: Writer, _ committer: Committer, holding turn: WriterTurn, reshapingBy plan: SchemaPlan? = nil,
    isObserved: Bool = false
  ) throws(StorageError) {
    isReshaping = plan != nil
    self.writer = writer
    self.committer = committer
    self.turn = turn
    do throws(StorageError) {
      (mark, base, reader) = try turn.use {
        () throws(StorageError) -> (Committer.Mark, Int64, TypedReader) in
        let mark = committer.mark
        do throws(StorageError) {
          if committer.isFull { throw .diskFull }
          let base = committer.version
          if let plan { try committer.beginReshaping(plan) } else { try committer.begin() }
          return (mark, base, try committer.beginInteractive(isObserved: isObserved))
        } catch {
          if plan != nil { committer.reload(mark) } else { committer.rollBack(to: mark) }
          throw error
        }
      }
    } catch {
      writer.end(turn)
      throw error
    }
  }

  deinit { cancel() }

  /// Makes an object of a draft; throws ``StorageError/objectExists(objectType:id:)`` where its primary key is taken.
  public func create(_ objectType: String, _ draft: ObjectDraft) throws(StorageError) -> RowAddress {
    try perform { () throws(StorageError) in
      try committer.create(.create(objectType: objectType, draft: draft, policy: .error))
    }
  }

  /// Changes a property of an object, or an element of it, or what is inside of a mixed value there. A change of an embedded
  /// object is one of the object that it belongs to.
  public func change(
    _ property: Int, of row: RowAddress, at element: ElementPlace? = nil, inside nested: [String] = [],
    by change: PropertyChange
  ) throws(StorageError) {
    try perform { () throws(StorageError) in
      try committer.change(
        RowPlace(row: row, property: property, element: element, nested: nested), by: change)
    }
  }

  /// Deletes an object that is not embedded.
  public func delete(_ row: RowAddress) throws(StorageError) {
    try perform { () throws(StorageError) in try committer.delete(row) }
  }

  /// Sets or removes records with the transaction.
  public func keep(_ changes: [RecordChange]) throws(StorageError) {
    try perform { () throws(StorageError) in try committer.keepWithTransaction(changes) }
  }

  /// Returns what `body` reads of the store with the changes so far.
  public func read<Answer>(
    _ body: (TypedReader) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try turn.use { () throws(StorageError) in
      try requireWhole()
      return try body(reader)
    }
  }

  /// Returns the net change of each object so far, as hooks see it (``ChangeSet/objects``). Changes inside of embedded objects are told
  /// from those of their owners where the transaction was begun to be observed.
  public func changes() throws(StorageError) -> [ObjectChange] {
    try perform { () throws(StorageError) in try committer.interactiveChanges() }
  }

  /// Commits, and returns the version when that is durable. If it fails, nothing has happened.
  ///
  /// - Parameter schema: The schema that the store has from then on, of a transaction that began with another one; nil: it stays.
  public func commit(reshapingTo schema: Schema? = nil) throws(StorageError) -> Int64 {
    guard isOpen else { throw .timeLimit }
    precondition(schema == nil || isReshaping, "only what began with another schema ends with one")
    defer { finish() }
    return try turn.useLast { () throws(StorageError) in
      do throws(StorageError) {
        try requireWhole()
        try committer.finishInteractive()
        if let schema {
          try committer.reshape(
            SchemaPlan(schema: schema, isDestructive: true, renames: [], generation: nil))
        }
        try committer.commit(isReshaped: isReshaping)
        return committer.version
      } catch {
        rollBack()
        committer.publish(error)
        throw error
      }
    }
  }

  /// Takes back everything.
  public func cancel() {
    guard isOpen else { return }
    try? turn.useLast { () throws(StorageError) in rollBack() }
    finish()
  }

  /// Performs a part of the transaction. Where one is refused before its first change, the others stay; behind one that is half done, or
  /// could not be finished for want of time or because of the disk, nothing more is taken: the log would tell what it was about to do.
  private func perform<Answer>(
    _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    try turn.use { () throws(StorageError) in
      try requireWhole()
      let changes = committer.connection.totalChanges
      do throws(StorageError) { return try body() } catch {
        if committer.connection.totalChanges != changes || error.endsAnywhere { failure = error }
        throw error
      }
    }
  }

  private func requireWhole() throws(StorageError) {
    if let failure { throw failure }
    // Outside of a transaction each statement would be committed by itself.
    guard committer.isInTransaction else {
      throw .sqlite(code: DatabaseError.ioError, message: "the transaction has ended with an error")
    }
  }

  private func rollBack() {
    if isReshaping { committer.reload(mark) } else { committer.rollBack(to: mark) }
  }

  private func finish() {
    precondition(isOpen, "a transaction ends once")
    isOpen = false
    writer.end(turn)
  }
}

extension StorageError {
  /// Whether it may end an operation at any step, and not only where that is refused.
  fileprivate var endsAnywhere: Bool {
    switch self {
    case .timeLimit, .cancelled: true
    default: isFailureOfStore
    }
  }
}
