internal import CGatehouseLinux
internal import Glibc

/// How the kernel shares processors among the threads of a process and others (sched(7)).
public enum Scheduling: String, Sendable, CaseIterable {
  /// A thread that wakes waits for its turn (`SCHED_BATCH`): where all processors are busy more is done, since
  /// whoever is at work finishes before somebody else is let in. Where one is free it makes no difference.
  case batch
  /// A thread that wakes may interrupt another at once (`SCHED_OTHER`, what processes begin with).
  case other

  /// Has all threads of the process run so, and those that they start, in other processes, too.
  ///
  /// A system that does not allow it leaves them as they are.
  public func apply() {
    let policy = self == .batch ? SCHED_BATCH : SCHED_NORMAL
    guard let folder = opendir("/proc/self/task") else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let thread = pid_t(name) { _ = linux_schedule(thread, policy) }
    }
  }
}
