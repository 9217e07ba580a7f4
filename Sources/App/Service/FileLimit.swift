import Glibc

/// How many files the process may have open (getrlimit(2)): each connection is one.
enum FileLimit {
  /// Descriptors beside connections: the store's files, listeners, logs, epoll instances.
  private static let ownFiles = 256
  /// Descriptors of an app that is open, and of each group of its classes.
  private static let filesOfApp = 24

  /// Returns how many files are needed beside connections, where so many apps are open, with so many stores of groups of their classes.
  static func reserve(apps: Int, groupStores: Int) -> Int { ownFiles + (apps + groupStores) * filesOfApp }

  /// Raises the limit so that `connections` fit, and the files of so many apps and stores of their groups, with those of all stores that
  /// there may be while the server runs.
  ///
  /// - Returns: nil, or how many connections fit where the system does not allow as many.
  static func raise(for connections: Int, apps: Int, groupStores: Int, atMost mostStores: Int) -> Int? {
    let reserve = reserve(apps: apps, groupStores: groupStores)
    let least = rlim_t(min(connections, 1 << 30) + reserve)
    let wanted = least + rlim_t(max(0, min(mostStores, 1 << 20) - groupStores) * filesOfApp)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted else {
      return nil
    }
    // Only who has the right to do so can raise the second.
    for most in [max(limit.rlim_max, wanted), limit.rlim_max] {
      var raised = rlimit(rlim_cur: min(wanted, most), rlim_max: most)
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
        return raised.rlim_cur < least ? max(0, Int(raised.rlim_cur) - reserve) : nil
      }
    }
    return limit.rlim_cur < least ? max(0, Int(limit.rlim_cur) - reserve) : nil
  }
}
