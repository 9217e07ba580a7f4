internal import CGatehousePolling
internal import Glibc

/// An epoll instance, with an eventfd by which any thread ends a wait.
///
/// Descriptors may be added, changed and removed by any thread; one at a time waits.
public struct Poller: ~Copyable, Sendable {
  public let descriptor: Int32
  private let bell: Int32
  /// The tag of the eventfd, and of nothing else.
  static let bellTag = UInt64.max

  public init() throws(PollingError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    // This fails as well where one of them is not there.
    try add(bell, [.input, .edgeTriggered], tag: Self.bellTag)
  }

  deinit {
    close(descriptor)
    close(bell)
  }

  /// Watches a descriptor; `tag` comes back with its events.
  public func add(_ watched: Int32, _ readiness: Readiness, tag: UInt64) throws(PollingError) {
    precondition((tag == Self.bellTag) == (watched == bell), "the tag of the eventfd is that of nothing else")
    guard polling_control(descriptor, EPOLL_CTL_ADD, watched, readiness.rawValue, tag) == 0 else {
      throw PollingError(call: "epoll_ctl", code: errno)
    }
  }

  /// Watches a descriptor that is being watched for something else.
  public func change(_ watched: Int32, _ readiness: Readiness, tag: UInt64) {
    precondition(tag != Self.bellTag && watched != bell, "the tag of the eventfd is that of nothing else")
    _ = polling_control(descriptor, EPOLL_CTL_MOD, watched, readiness.rawValue, tag)
  }

  public func remove(_ watched: Int32) {
    _ = polling_control(descriptor, EPOLL_CTL_DEL, watched, 0, 0)
  }

  /// Ends a wait, from any thread.
  public func ring() {
    eventfd_write(bell, 1)
  }

  /// Waits for events, at most so many milliseconds, or without end if negative; the batch has them, in place of those
  /// before. False: there are none.
  public func wait(for batch: inout EventBatch, milliseconds: Int32) -> Bool {
    batch.fill { epoll_wait(descriptor, $0, $1, milliseconds) }
  }
}
