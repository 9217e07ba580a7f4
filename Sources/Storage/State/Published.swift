import Synchronization

/// A value that is changed now and then, and looked at all the time by threads that keep copies.
///
/// `@unchecked Sendable`. Because the edition has a place of its own in memory for as long as the value is there.
final class Published<Value: Sendable>: @unchecked Sendable {
  /// The value as it was when the copy was made. Whoever has it holds the published one, too.
  struct Copy {
    let value: Value
    fileprivate let edition: Int
    fileprivate let latest: UnsafePointer<Atomic<Int>>

    /// Whether nothing was published since. That costs a look at what all threads may have at hand: no reference is
    /// counted.
    var isCurrent: Bool { latest.pointee.load(ordering: .acquiring) == edition }
  }

  private let current: Mutex<Value>
  /// How often the value has changed.
  private let edition: UnsafeMutablePointer<Atomic<Int>>

  init(_ value: Value) {
    current = Mutex(value)
    edition = .allocate(capacity: 1)
    edition.initialize(to: Atomic(0))
  }

  deinit {
    edition.deinitialize(count: 1)
    edition.deallocate()
  }

  var value: Value { current.withLock { $0 } }

  var copy: Copy {
    current.withLock {
      Copy(value: $0, edition: edition.pointee.load(ordering: .relaxed), latest: UnsafePointer(edition))
    }
  }

  /// Also where `body` leaves it as it is: then what belongs to it has changed.
  func update(_ body: (inout Value) -> Void) {
    current.withLock { value in
      body(&value)
      edition.pointee.add(1, ordering: .releasing)
    }
  }
}
