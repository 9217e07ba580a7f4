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
  private let continuation: AsyncStream<Request>.Continuation
  private let stopping: StopFlag
  private let source: SignalSource

  init() throws {
    let (requests, continuation) = AsyncStream.makeStream(of: Request.self)
    let stopping = StopFlag()
    (self.requests, self.continuation, self.stopping) = (requests, continuation, stopping)
    source = try SignalSource([SIGHUP, SIGTERM, SIGINT]) { number in
      if number == SIGHUP {
        continuation.yield(.reload)
        return
      }
      // The exit code that shells report for a process that a signal ended.
      guard stopping.raise() else { _exit(128 + number) }
      continuation.yield(.stop)
    }
  }

  /// Whether somebody has asked for the end, before ``requests`` are read, too.
  var isStopping: Bool { stopping.isRaised }

  /// Asks for the end as a signal does.
  func stop() { if stopping.raise() { continuation.yield(.stop) } }
}

/// Whether somebody has asked for the end.
private final class StopFlag: Sendable {
  private let state = Mutex(false)

  var isRaised: Bool { state.withLock { $0 } }

  /// False: it had been raised before.
  func raise() -> Bool {
    state.withLock { isRaised in
      defer { isRaised = true }
      return !isRaised
    }
  }
}
