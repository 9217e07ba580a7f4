internal import CLinux
internal import Glibc

/// What an epoll instance reports of a descriptor.
struct Readiness: OptionSet {
  let rawValue: UInt32

  static let input = Readiness(rawValue: EPOLLIN.rawValue)
  static let output = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The peer has closed its side.
  static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
  /// Both sides are closed.
  static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  static let error = Readiness(rawValue: EPOLLERR.rawValue)
  static let edgeTriggered = Readiness(rawValue: EPOLLET.rawValue)
  static let exclusive = Readiness(rawValue: EPOLLEXCLUSIVE.rawValue)
}

/// An epoll instance.
struct Poller: ~Copyable {
  let descriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private static let capacity: Int32 = 256

  init() throws(ServerError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw ServerError.system(call: "epoll_create1", code: errno) }
    events = .allocate(capacity: Int(Self.capacity))
  }

  deinit {
    close(descriptor)
    events.deallocate()
  }

  /// Watches a descriptor; `tag` comes back with its events.
  func add(_ watched: Int32, _ readiness: Readiness, tag: UInt) throws(ServerError) {
    guard linux_epoll_control(descriptor, EPOLL_CTL_ADD, watched, readiness.rawValue, UInt64(tag)) == 0
    else { throw ServerError.system(call: "epoll_ctl", code: errno) }
  }

  func remove(_ watched: Int32) {
    _ = linux_epoll_control(descriptor, EPOLL_CTL_DEL, watched, 0, 0)
  }

  /// Calls `body` with what is ready now, and gives how many that were.
  func poll(_ body: (_ tag: UInt, _ readiness: Readiness) -> Void) -> Int {
    let count = epoll_wait(descriptor, events, Self.capacity, 0)
    for index in 0..<max(count, 0) {
      body(
        UInt(linux_epoll_data(events, index)), Readiness(rawValue: linux_epoll_events(events, index)))
    }
    return Int(max(count, 0))
  }
}
