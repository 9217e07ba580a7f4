internal import CGatehouseLinux
internal import Glibc

/// The states of a descriptor that an epoll instance reports.
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

  /// Whether the peer has closed its side, or both are closed.
  var tellsHangUp: Bool { !isDisjoint(with: [.peerClosed, .hangUp]) }
}

/// An event that an epoll instance has found.
enum PollerEvent {
  /// The tag that the descriptor was added with, and what it is ready for.
  case readiness(tag: UInt, Readiness)
  /// The timer has run.
  case tick
  /// The wait was ended from outside.
  case ring
}

/// An epoll instance with a timer, which costs a wait nothing, as a time limit of the wait would.
struct Poller: ~Copyable {
  let descriptor: Int32
  /// An event descriptor, by which other threads end a wait.
  private let bell: Int32
  private let timer: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private static let capacity: Int32 = 256

  /// No connection's address, and no acceptor's number.
  private static let bellTag = UInt.max
  private static let timerTag = UInt.max - 1

  init() throws(ServerError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    events = .allocate(capacity: Int(Self.capacity))
    try add(bell, [.input, .edgeTriggered], tag: Self.bellTag)
    try add(timer, [.input, .edgeTriggered], tag: Self.timerTag)
  }

  deinit {
    close(descriptor)
    close(bell)
    close(timer)
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

  /// Has the timer run every so many nanoseconds; never for 0.
  func setTimer(nanoseconds: UInt64) {
    let interval = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var setting = itimerspec(it_interval: interval, it_value: interval)
    timerfd_settime(timer, 0, &setting, nil)
  }

  /// How many events there are, for which it waits unless told not to; the ones before are gone.
  func poll(waits: Bool) -> Int {
    Int(max(epoll_wait(descriptor, events, Self.capacity, waits ? -1 : 0), 0))
  }

  /// An event of the last poll.
  @inline(__always)
  func event(at index: Int) -> PollerEvent {
    let tag = UInt(linux_epoll_data(events, Int32(truncatingIfNeeded: index)))
    switch tag {
    case Self.bellTag: return .ring
    case Self.timerTag:
      // The timer goes on only once it has been read.
      var count: UInt64 = 0
      _ = read(timer, &count, 8)
      return .tick
    default:
      let readiness = linux_epoll_events(events, Int32(truncatingIfNeeded: index))
      return .readiness(tag: tag, Readiness(rawValue: readiness))
    }
  }
}
