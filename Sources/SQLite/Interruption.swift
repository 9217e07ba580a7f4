internal import Synchronization

/// Asks a connection to stop what it runs, from any thread.
///
/// Unlike `sqlite3_interrupt` it is not lost where no statement runs at that moment.
public final class Interruption: Sendable {
  private let flag = Atomic(false)

  public init() {}

  /// Whether it has been asked for.
  public var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Asks.
  public func request() {
    flag.store(true, ordering: .relaxed)
  }
}
