import GatehouseTestSupport
import Glibc

/// The machine's time as one process has it, which can be set while it runs; its monotonic clocks go on.
final class ShiftedClock {
  /// The library that a process loads for it, made by the compiler that is there; nil: there is none.
  static let library: String? = {
    guard let folder = try? Folder(), let source = try? folder.write(ShiftedClock.source, to: "clock.c")
    else {
      return nil
    }
    let path = folder.file("clock.so")
    let made = Machine.run(
      "$(command -v clang || command -v cc) -shared -fPIC -O1 -o '\(path)' '\(source)' 2>&1")
    guard made.status == 0 else { return nil }
    kept = folder
    return path
  }()
  nonisolated(unsafe) private static var kept: Folder?

  private static let source = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static volatile long *shift;

    __attribute__((constructor)) static void begin(void) {
      int file = open(getenv("SHIFTED_CLOCK"), O_RDONLY);
      void *place = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
      if (place != MAP_FAILED) shift = place;
    }

    int clock_gettime(clockid_t clock, struct timespec *time) {
      long result = syscall(SYS_clock_gettime, clock, time);
      if (result == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += *shift;
      return (int)result;
    }

    int gettimeofday(struct timeval *time, void *zone) {
      struct timespec now;
      int result = clock_gettime(CLOCK_REALTIME, &now);
      time->tv_sec = now.tv_sec;
      time->tv_usec = now.tv_nsec / 1000;
      return result;
    }

    time_t time(time_t *place) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      if (place) *place = now.tv_sec;
      return now.tv_sec;
    }
    """

  private let folder: Folder
  private let path: String

  init() throws {
    folder = try Folder()
    path = folder.file("shift")
    try set(0)
  }

  /// The variables that have a process go by it.
  var environment: [String] { ["LD_PRELOAD=\(ShiftedClock.library ?? "")", "SHIFTED_CLOCK=\(path)"] }

  /// Sets the time so many seconds ahead of the machine's.
  func set(_ seconds: Int) throws {
    var seconds = seconds
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    let count = pwrite(file, &seconds, MemoryLayout<Int>.size, 0)
    guard count == MemoryLayout<Int>.size else { throw SystemError(call: "pwrite", code: errno) }
  }
}
