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
  /// An event descriptor, by which other threads end a wait.
  private let bell: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private static let capacity: Int32 = 256

  init() throws(ServerError) {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw ServerError.system(call: "epoll_create1", code: errno) }
    let bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    let readiness: Readiness = [.input, .edgeTriggered]
    guard linux_epoll_control(epoll, EPOLL_CTL_ADD, bell, readiness.rawValue, UInt64(Self.bellTag)) == 0
    else {
      close(epoll)
      throw ServerError.system(call: "eventfd", code: errno)
    }
    descriptor = epoll
    self.bell = bell
    events = .allocate(capacity: Int(Self.capacity))
  }

  /// No connection's address, and no acceptor's number.
  private static let bellTag = UInt.max

  deinit {
    close(descriptor)
    close(bell)
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

  /// Ends a wait, from any thread.
  func ring() {
    eventfd_write(bell, 1)
  }

  /// Calls `body` with what is ready within so many milliseconds, and gives how many that were.
  @inline(__always)
  func poll(wait: Int32, _ body: (_ tag: UInt, _ readiness: Readiness) -> Void) -> Int {
    let count = epoll_wait(descriptor, events, Self.capacity, wait)
    for index in 0..<max(count, 0) {
      let tag = UInt(linux_epoll_data(events, index))
      if tag == Self.bellTag { continue }
      body(tag, Readiness(rawValue: linux_epoll_events(events, index)))
    }
    return Int(max(count, 0))
  }
}
