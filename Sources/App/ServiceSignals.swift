import Glibc
import Server
import Synchronization

/// What an operator tells a running server: SIGHUP to read files again, SIGTERM or SIGINT to stop.
///
/// Whoever says stop twice does not want to wait: the process ends there and then, which the store survives as it
/// survives any crash.
final class ServiceSignals: Sendable {
  enum Request: Sendable {
    case reload
    case stop
  }

  let requests: AsyncStream<Request>
  private let source: SignalSource

  init() throws {
    let (requests, continuation) = AsyncStream.makeStream(of: Request.self)
    let isStopping = Mutex(false)
    self.requests = requests
    source = try SignalSource([SIGHUP, SIGTERM, SIGINT]) { number in
      if number == SIGHUP {
        continuation.yield(.reload)
        return
      }
      let isFirst = isStopping.withLock { isStopping in
        defer { isStopping = true }
        return !isStopping
      }
      // What a shell reports for a process that a signal ended.
      guard isFirst else { _exit(128 + number) }
      continuation.yield(.stop)
    }
  }
}
