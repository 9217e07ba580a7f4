import Synchronization

/// Tells tasks that go on until something is done that it is.
final class Flag: Sendable {
  let isDone = Atomic(false)
}
