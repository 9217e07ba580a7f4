import Synchronization

/// A value that is changed now and then, and looked at all the time by threads that keep copies.
final class Published<Value: Sendable>: Sendable {
  /// The value as it was when the copy was made or refreshed.
  struct Copy {
    fileprivate(set) var value: Value
    fileprivate var edition: Int
  }

  private let current: Mutex<Value>
  /// How often the value has changed.
  private let edition = Atomic(0)

  init(_ value: Value) {
    current = Mutex(value)
  }

  var value: Value { current.withLock { $0 } }

  var copy: Copy { current.withLock { Copy(value: $0, edition: edition.load(ordering: .relaxed)) } }

  /// Also where `body` leaves it as it is: then what belongs to it has changed.
  func update(_ body: (inout Value) -> Void) {
    current.withLock { value in
      body(&value)
      edition.add(1, ordering: .releasing)
    }
  }

  /// Brings the copy up to date; false: it was. Then it costs a look at what all threads may have at hand.
  func refresh(_ copy: inout Copy) -> Bool {
    if edition.load(ordering: .acquiring) == copy.edition { return false }
    copy = self.copy
    return true
  }
}
