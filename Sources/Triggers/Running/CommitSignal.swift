import Synchronization

/// Wakes whoever waits when something has been committed. Signals that come while nobody waits are one.
final class CommitSignal: Sendable {
  private let continuations = Mutex<[Int: AsyncStream<Void>.Continuation]>([:])
  private let numbers = Atomic(0)

  /// Signals from now on.
  func stream() -> AsyncStream<Void> {
    let number = numbers.add(1, ordering: .relaxed).newValue
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    continuations.withLock { $0[number] = continuation }
    return stream
  }

  func send() {
    for continuation in continuations.withLock({ Array($0.values) }) { continuation.yield() }
  }

  private func remove(_ number: Int) { continuations.withLock { $0[number] = nil } }
}
