import GatehouseServer
import Glibc
import Synchronization

/// The signals by which an operator controls a running server: SIGHUP reads files again, SIGTERM and SIGINT stop.
///
/// A second signal to stop ends the process there and then, which the store survives as it
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
      // The exit code that shells report for a process that a signal ended.
      guard isFirst else { _exit(128 + number) }
      continuation.yield(.stop)
    }
  }
}
