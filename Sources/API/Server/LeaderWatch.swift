import Synchronization

/// Tells requests that were sent to another node when that is silent and does not lead any more: their outcome is unknown then, and
/// the node that leads now knows what was written.
///
/// One task asks the nodes that requests have waited for a while, whatever the number of requests.
final class LeaderWatch: Sendable {
  /// How long a node may be silent, and how often it is asked.
  struct Times: Sendable {
    var silence: Duration = .seconds(2)
    var interval: Duration = .milliseconds(500)
  }

  private struct Waiter {
    let node: String
    let leads: @Sendable () -> Bool
    let since = ContinuousClock.now
    /// Nil: it does not wait yet.
    var continuation: CheckedContinuation<Void, Never>?
  }

  /// A question whether a node is there, which has not been answered.
  private struct Question {
    let since: ContinuousClock.Instant
    /// Whether the answer may still come; otherwise it is asked again.
    var isOpen = true
  }

  private struct State {
    var waiters: [Int: Waiter] = [:]
    var count = 0
    var questions: [String: Question] = [:]
    var isWatching = false
  }

  private let times: Times
  private let isAlive: @Sendable (_ node: String) async -> Bool
  private let state = Mutex(State())

  /// - Parameter isAlive: Asks a node, and returns whether it has answered, within ``Times/silence``.
  init(_ times: Times = Times(), isAlive: @escaping @Sendable (_ node: String) async -> Bool) {
    (self.times, self.isAlive) = (times, isAlive)
  }

  /// Whether nodes are asked, since somebody waits.
  var isWatching: Bool { state.withLock(\.isWatching) }

  /// Returns when a node is silent and does not lead any more, or the task is cancelled.
  func waitForSilence(of node: String, while leads: @escaping @Sendable () -> Bool) async {
    let number = add(Waiter(node: node, leads: leads))
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          guard let waiter = state.waiters[number] else { return false }
          precondition(
            waiter.continuation == nil && state.isWatching, "nodes are asked while somebody waits, once")
          state.waiters[number]?.continuation = continuation
          return true
        }
        if !isThere { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation?.resume()
    }
  }

  private func add(_ waiter: Waiter) -> Int {
    let (number, mustBegin) = state.withLock { state in
      defer { state.isWatching = true }
      state.count += 1
      state.waiters[state.count] = waiter
      return (state.count, !state.isWatching)
    }
    if mustBegin { Task { await watch() } }
    return number
  }

  /// Looks after the waiters until there are none.
  private func watch() async {
    while true {
      try? await Task.sleep(for: times.interval)
      let now = ContinuousClock.now
      guard let nodes = nodesToAsk(at: now) else { return }
      for node in nodes { Task { await ask(node) } }
      for waiter in takeWaiters(ofSilentNodesAt: now) { waiter.continuation?.resume() }
    }
  }

  /// Returns the nodes to ask; nil: nobody waits, and the watch has ended.
  private func nodesToAsk(at now: ContinuousClock.Instant) -> [String]? {
    state.withLock { state in
      state.isWatching = !state.waiters.isEmpty
      guard state.isWatching else {
        state.questions = [:]
        return nil
      }
      let due = Set(state.waiters.values.filter { $0.since + times.interval <= now }.map(\.node))
      state.questions = state.questions.filter { due.contains($0.key) }
      let nodes = due.filter { state.questions[$0]?.isOpen != true }.sorted()
      for node in nodes { state.questions[node] = Question(since: state.questions[node]?.since ?? now) }
      return nodes
    }
  }

  private func ask(_ node: String) async {
    let isAlive = await isAlive(node)
    state.withLock { state in
      if isAlive { state.questions[node] = nil } else { state.questions[node]?.isOpen = false }
    }
  }

  private func takeWaiters(ofSilentNodesAt now: ContinuousClock.Instant) -> [Waiter] {
    // Where a node stands is asked for outside of the lock.
    let waiters = state.withLock { state in
      state.waiters.filter { state.questions[$0.value.node].map { now - $0.since >= times.silence } ?? false }
    }
    return waiters.filter { !$0.value.leads() }.keys.sorted().compactMap { number in
      state.withLock { $0.waiters.removeValue(forKey: number) }
    }
  }
}
