/// A log that several servers keep, and that answers an append when a majority of them has it on disk.
///
/// Positions begin at 1 and have no gaps. An append says which position it expects to be the last: the log refuses it where
/// another entry has come, which is all that fences a leader that others have replaced.
///
/// Both functions wait, on the caller's thread: the store commits on one thread, which has nothing to do until the log has answered,
/// and a follower has a thread of its own. Any thread may call them, and several at once.
public protocol ReplicatedLog: AnyObject, Sendable {
  /// Appends an entry behind the one at `expected`.
  ///
  /// An append that gets no answer is repeated with the same identity until `limit` has passed, so that an entry that was written
  /// although its answer was lost is found to be one's own and not another's.
  ///
  /// - Parameters:
  ///   - identity: Printable ASCII without spaces that no other append to this log has.
  ///   - limit: How long it may take before the outcome is ``AppendOutcome/inDoubt``.
  func append(
    _ entry: [UInt8], expecting expected: UInt64, identity: String, limit: Duration
  ) -> AppendOutcome

  /// Returns the entries behind a position, in order. Where there are none, waits for `patience` for the first one.
  ///
  /// Throws ``LogError``.
  func read(after position: UInt64, patience: Duration) throws(LogError) -> LogPage

  /// Asks the servers for their state and their settings. Throws ``LogError``.
  func health() throws(LogError) -> LogHealth

  /// Removes the log with all entries, if it is there: for a database that is gone. Throws ``LogError``.
  func remove() throws(LogError)

  /// Ends connections; calls that wait return, and later ones fail.
  func close()
}

/// The outcome of an append.
public enum AppendOutcome: Hashable, Sendable {
  /// A majority has the entry, at that position, which is the one behind the expected one.
  case appended(UInt64)
  /// The entry is not in the log, and will not be; the last position that the server named is another one than the expected one.
  case refused(current: UInt64)
  /// The entry may be in the log, or come to be in it later on.
  case inDoubt
  /// The entry is not in the log, and will not be: it has never left this process.
  case unavailable
}

/// Entries that follow each other.
public struct LogPage: Hashable, Sendable {
  public struct Item: Hashable, Sendable {
    public let position: UInt64
    public let bytes: [UInt8]

    public init(position: UInt64, bytes: [UInt8]) {
      self.position = position
      self.bytes = bytes
    }
  }

  public let items: [Item]
  /// The first position that can still be read: a node that stands before the one in front of it needs a snapshot. One more than
  /// ``last`` where the log is empty.
  public let first: UInt64
  /// The last position, as the server that was asked knows it, which may be late; 0: there has been none.
  public let last: UInt64

  public init(_ items: [Item], first: UInt64, last: UInt64) {
    self.items = items
    self.first = first
    self.last = last
  }
}

/// Why a log does not answer.
public enum LogError: Error, Hashable, Sendable {
  /// No server can be reached, or there is no majority of them.
  case unavailable
  /// The servers do not let this user in.
  case unauthorized
  /// There is no such log, or it has other settings than those that this one would have made it with.
  case unusable(LogDefect)
  /// A server sent what its protocol does not have.
  case malformedAnswer
  case closed
}
