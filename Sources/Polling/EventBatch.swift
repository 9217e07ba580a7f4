internal import CGatehousePolling

/// The tag that a descriptor was added with, and what it is ready for.
public struct PolledEvent {
  public let tag: UInt64
  public let readiness: Readiness
}

/// The events of one wait, which are taken one after the other.
public struct EventBatch: ~Copyable {
  private let events: UnsafeMutablePointer<epoll_event>
  private let capacity: Int32
  private var next: Int32 = 0
  private var count: Int32 = 0

  /// Has room for that many events; others come with the next wait.
  public init(capacity: Int) {
    precondition(capacity > 0, "a wait that has room for no event never ends")
    events = .allocate(capacity: capacity)
    self.capacity = Int32(capacity)
  }

  deinit {
    events.deallocate()
  }

  /// Whether all events have been taken.
  public var isOver: Bool { next == count }

  /// Takes the next event; nil: there is none. Those that ended a wait from outside are not told.
  public mutating func take() -> PolledEvent? {
    while next < count {
      let tag = polling_data(events, next)
      let readiness = Readiness(rawValue: polling_events(events, next))
      next += 1
      if tag != Poller.bellTag { return PolledEvent(tag: tag, readiness: readiness) }
    }
    return nil
  }

  /// Has `wait` write events into the room that there is and return how many; false: none.
  mutating func fill(_ wait: (UnsafeMutablePointer<epoll_event>, Int32) -> Int32) -> Bool {
    precondition(isOver, "events are taken before others are waited for")
    next = 0
    count = max(wait(events, capacity), 0)
    precondition(count <= capacity, "no more events come than there is room for")
    return count > 0
  }
}
