internal import CGatehouseLinux
internal import Glibc

/// A timerfd, which a poller watches: it costs a wait nothing, as a time limit of the wait would.
struct TickDescriptor: ~Copyable {
  let descriptor: Int32

  init() throws(ServerError) {
    descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    guard descriptor >= 0 else { throw ServerError.system(call: "timerfd_create", code: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Has the timer run every so many nanoseconds; never for 0.
  func set(nanoseconds: UInt64) {
    let interval = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var setting = itimerspec(it_interval: interval, it_value: interval)
    timerfd_settime(descriptor, 0, &setting, nil)
  }

  /// Takes note that the timer has run: only then it goes on.
  func acknowledge() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }
}
