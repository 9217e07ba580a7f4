import Synchronization

/// The state of a store's replication as any thread may ask for it, and whoever is told of what is applied.
final class ReplicationStatus: Sendable {
  typealias RecordObserver = @Sendable (Set<String>) -> Void
  typealias NoticeHandler = @Sendable (ReplicationNotice) throws -> Void

  private struct State {
    var point: ReplicationPoint
    var isLeading = false
    var observers: [(kinds: Set<String>, call: RecordObserver)] = []
    var handlers: [String: NoticeHandler] = [:]
  }

  private let state: Mutex<State>

  init(at point: ReplicationPoint) { state = Mutex(State(point: point)) }

  /// The place in the log that the file has come to.
  var point: ReplicationPoint { state.withLock { $0.point } }

  var isLeading: Bool { state.withLock { $0.isLeading } }

  func set(_ point: ReplicationPoint) {
    state.withLock { state in
      precondition(point.sequence >= state.point.sequence, "the place in the log never goes back")
      state.point = point
    }
  }

  func set(isLeading: Bool) { state.withLock { $0.isLeading = isLeading } }

  func observe(_ kinds: Set<String>, _ observer: @escaping RecordObserver) {
    state.withLock { $0.observers.append((kinds, observer)) }
  }

  func handle(_ kind: String, _ handler: @escaping NoticeHandler) {
    state.withLock { $0.handlers[kind] = handler }
  }

  /// Tells those who observe records of these kinds that some were changed by a transaction that was applied.
  func notify(of kinds: Set<String>) {
    guard !kinds.isEmpty else { return }
    for observer in state.withLock({ $0.observers }) {
      let concerned = observer.kinds.intersection(kinds)
      if !concerned.isEmpty { observer.call(concerned) }
    }
  }

  /// Has a notice handled; one that nobody knows is no business of this store's.
  func handle(_ notice: ReplicationNotice) throws(StorageError) {
    guard let handler = state.withLock({ $0.handlers[notice.kind] }) else { return }
    do { try handler(notice) } catch { throw .noticeFailed(kind: notice.kind) }
  }
}
