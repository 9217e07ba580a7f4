internal import CGatehouseLinux
internal import Glibc

/// A semaphore of the system, which waits by the monotonic clock. One of Dispatch's waits by the machine's time on Linux: where that is set back
/// by an hour, an hour longer.
///
/// `@unchecked Sendable`. Because any thread may use a semaphore at any time (sem_overview(7)).
final class SystemSignal: Signal, @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    let result = sem_init(semaphore, 0, 0)
    precondition(result == 0, "a semaphore of one process that begins at 0 can be made")
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() {
    let result = sem_post(semaphore)
    precondition(result == 0, "a signal lets as many pass as it was signalled")
  }

  func wait() { while sem_wait(semaphore) != 0 { SystemSignal.requireInterruption() } }

  /// A wait that is repeated for another reason would be repeated for ever.
  private static func requireInterruption() {
    let code = errno
    precondition(code == EINTR, "a wait for a signal fails with \(code)")
  }

  func wait(for limit: Duration) -> Bool {
    var deadline = SystemSignal.time(after: limit)
    while sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline) != 0 {
      if errno == ETIMEDOUT { return false }
      SystemSignal.requireInterruption()
    }
    return true
  }

  /// The monotonic time in so long; the longest is some years.
  private static func time(after limit: Duration) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let (seconds, attoseconds) = limit.components
    time.tv_sec += Int(clamping: min(max(0, seconds), 1 << 30))
    time.tv_nsec += Int(max(0, attoseconds) / 1_000_000_000)
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_sec += 1
      time.tv_nsec -= 1_000_000_000
    }
    precondition((0..<1_000_000_000).contains(time.tv_nsec), "a time is seconds and a part of one")
    return time
  }
}
