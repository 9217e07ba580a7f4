/// A value that belongs to a Realm, and so to the thread that the Realm belongs to.
public protocol ThreadConfined {
  /// The Realm that the value belongs to; nil: none.
  var realm: Realm? { get }
  /// Whether the value can no longer be used: it was deleted, or its Realm is invalid.
  var isInvalidated: Bool { get }
  /// Whether the value never changes, and may be used by any thread.
  var isFrozen: Bool { get }
  /// Returns the value as it is now, which may be used by any thread.
  func freeze() -> Self
  /// Returns the live value of a frozen one; nil: it was deleted.
  func thaw() -> Self?
}
