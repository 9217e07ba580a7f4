import Synchronization

/// Whether a server wants requests, as its gateways tell whoever balances load.
public final class Readiness: Sendable {
  private let stopping = Atomic(false)

  public init() {}

  /// Whether the server is about to stop.
  public var isStopping: Bool { stopping.load(ordering: .relaxed) }

  /// From now on `/readyz` says no; everything else is answered as before.
  public func stop() {
    stopping.store(true, ordering: .relaxed)
  }
}
