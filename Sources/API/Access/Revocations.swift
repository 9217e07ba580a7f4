import GatehouseFeeds
import Synchronization

/// Tells the event loops which callers are none any more, so that their streams end at once.
final class Revocations: Sendable {
  typealias Observer = @Sendable (StreamLease.Owner, EndReason) -> Void

  private let observers = Mutex<[Observer]>([])

  /// Calls `observer` from now on, from any thread.
  func observe(_ observer: @escaping Observer) {
    observers.withLock { $0.append(observer) }
  }

  /// Ends the streams of an owner. Called when what was revoked is no longer accepted: whoever opens a stream looks
  /// at that once more.
  func end(_ owner: StreamLease.Owner, _ reason: EndReason) {
    for observer in observers.withLock({ $0 }) { observer(owner, reason) }
  }
}
