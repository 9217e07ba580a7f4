public import Glibc

/// The state and the thread of a Realm, which are looked at before a value that is in memory is returned. They have a place of their own, so
/// that compiled programs look without a call, and without counting a reference to the Realm.
public struct ReadGate {
  /// The state that is read: ``LiveRealm/state``.
  public internal(set) var state: UInt64
  /// The thread that may use the Realm in any case; 0: none is known.
  @usableFromInline let thread: UInt
  /// Whether the Realm never changes, so that any thread may use it.
  public let isFrozen: Bool
  /// An object that is never released, which notes reads of code that is tracked; nil: nobody can be told of changes.
  public internal(set) var tracker: UnsafeRawPointer?

  init(thread: UInt, isFrozen: Bool = false) {
    state = 0
    self.isFrozen = isFrozen
    self.thread = thread
  }

  /// Whether the thread that asks may use the Realm in any case.
  @inlinable public var isOnThread: Bool { thread == UInt(pthread_self()) }
}
