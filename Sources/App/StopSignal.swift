import Glibc
import Server
import Synchronization

/// Waits for SIGTERM or SIGINT.
///
/// Whoever sends a second one does not want to wait: the process ends there and then, which the store survives
/// as it survives any crash.
final class StopSignal: Sendable {
  private let signals: AsyncStream<Int32>
  private let source: SignalSource

  init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let isStopping = Mutex(false)
    self.signals = signals
    source = SignalSource([SIGTERM, SIGINT]) { number in
      let isFirst = isStopping.withLock { isStopping in
        defer { isStopping = true }
        return !isStopping
      }
      // What a shell reports for a process that a signal ended.
      guard isFirst else { _exit(128 + number) }
      continuation.yield(number)
    }
  }

  func wait() async {
    for await _ in signals { return }
  }
}
