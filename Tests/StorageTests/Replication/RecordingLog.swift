import GatehouseStorage
import Synchronization

/// A transaction log in memory, which refuses what it is told to refuse.
final class RecordingLog: TransactionLog {
  struct Entry {
    let part: TransactionPart
    let point: ReplicationPoint
  }

  private struct State {
    var entries: [Entry] = []
    /// The answers to the next parts; nil: it is accepted.
    var answers: [TransactionLogError?] = []
    var lost: [ReplicationPoint] = []
    var isUnchanged = true
  }

  let isDurable: Bool
  private let state = Mutex(State())

  init(isDurable: Bool = true) { self.isDurable = isDurable }

  func append(_ part: TransactionPart) throws(TransactionLogError) -> ReplicationPoint {
    let answer = state.withLock { state -> Result<ReplicationPoint, TransactionLogError> in
      let answer = state.answers.isEmpty ? nil : state.answers.removeFirst()
      if answer == .refused || answer == .unavailable { return .failure(answer ?? .refused) }
      let sequence = UInt64(state.entries.count + 1)
      let point = ReplicationPoint(sequence: sequence, context: [UInt8(truncatingIfNeeded: sequence), 7])
      state.entries.append(Entry(part: part, point: point))
      return answer.map { .failure($0) } ?? .success(point)
    }
    return try answer.get()
  }

  func didNotCommit(_ point: ReplicationPoint) { state.withLock { $0.lost.append(point) } }

  var isUnchanged: Bool { state.withLock(\.isUnchanged) }

  /// Has it be certain, or not, that nobody else has appended to it.
  func set(isUnchanged: Bool) { state.withLock { $0.isUnchanged = isUnchanged } }

  /// The places of transactions that could not be committed.
  var lost: [ReplicationPoint] { state.withLock { $0.lost } }

  /// Answers the next parts so; nil: one is accepted. What is in doubt is in the log.
  func answer(_ answers: TransactionLogError?...) { state.withLock { $0.answers = answers } }

  var entries: [Entry] { state.withLock { $0.entries } }

  /// The entries behind a point, at most so many.
  func entries(after point: ReplicationPoint, limit: Int = .max) -> [Entry] {
    Array(entries.dropFirst(Int(point.sequence)).prefix(limit))
  }
}
