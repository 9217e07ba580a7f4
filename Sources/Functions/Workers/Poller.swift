internal import CGatehouseProcess
internal import Glibc

/// An epoll instance, with an eventfd by which other threads end a wait.
struct Poller: ~Copyable, Sendable {
  private let descriptor: Int32
  private let bell: Int32
  /// The tag of the eventfd, which no worker has.
  static let bellTag = UInt64.max

  init() throws(FunctionError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard descriptor >= 0, bell >= 0 else { throw .cannotStart(code: errno) }
    let events = EPOLLIN.rawValue | EPOLLET.rawValue
    guard process_watch(descriptor, EPOLL_CTL_ADD, bell, events, Self.bellTag) == 0 else {
      throw .cannotStart(code: errno)
    }
  }

  deinit {
    close(descriptor)
    close(bell)
  }

  func ring() {
    var one: UInt64 = 1
    _ = write(bell, &one, 8)
  }

  func add(_ watched: Int32, tag: UInt64) {
    _ = process_watch(descriptor, EPOLL_CTL_ADD, watched, EPOLLIN.rawValue, tag)
  }

  /// Waits for room to write only.
  func addWrites(_ watched: Int32, tag: UInt64) {
    _ = process_watch(descriptor, EPOLL_CTL_ADD, watched, EPOLLOUT.rawValue, tag)
  }

  func change(_ watched: Int32, tag: UInt64, writes: Bool) {
    let events = EPOLLIN.rawValue | (writes ? EPOLLOUT.rawValue : 0)
    _ = process_watch(descriptor, EPOLL_CTL_MOD, watched, events, tag)
  }

  func remove(_ watched: Int32) {
    _ = process_watch(descriptor, EPOLL_CTL_DEL, watched, 0, 0)
  }

  /// Returns the tags of the descriptors that are ready; waits at most so many milliseconds, or without end if
  /// negative.
  func wait(milliseconds: Int32) -> [UInt64] {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      guard let base = events.baseAddress else { return [] }
      let count = epoll_wait(descriptor, base, 64, milliseconds)
      return (0..<max(count, 0)).map { process_event_data(base, $0) }.filter { $0 != Self.bellTag }
    }
  }
}
