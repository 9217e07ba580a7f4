internal import Synchronization

/// A flag by which any thread asks a connection to stop its statement.
///
/// Unlike `sqlite3_interrupt` it is not lost where no statement runs at that moment.
public final class Interruption: Sendable {
  private let flag = Atomic(false)

  public init() {}

  /// Whether the flag is raised.
  public var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Raises the flag.
  public func request() {
    flag.store(true, ordering: .relaxed)
  }
}
