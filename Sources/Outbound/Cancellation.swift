internal import Synchronization

/// A note for a transfer that nobody waits for it any more.
final class Cancellation: Sendable {
  private let isSet = Atomic(false)

  var isRequested: Bool { isSet.load(ordering: .acquiring) }

  func request() { isSet.store(true, ordering: .releasing) }
}
