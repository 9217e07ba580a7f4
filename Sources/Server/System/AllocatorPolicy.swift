internal import CGatehouseLinux

/// How the C library gives freed memory back to the system (mallopt(3)).
public enum AllocatorPolicy {
  /// Blocks of so many bytes are mappings of their own, which are given back as soon as they are freed.
  public static let mappedSize = 8 << 20

  /// Has blocks of ``mappedSize`` bytes given back at once for as long as the process lives. Called before other threads
  /// are started.
  ///
  /// glibc begins with 128 KiB and raises it to the size of each larger block that is freed, up to 32 MiB: from then on
  /// such blocks come from the arenas of threads, which keep them. After a few logins the 16 MiB of each hash of a password
  /// stayed with each thread that had made one.
  ///
  /// - Returns: Whether the C library has taken it.
  @discardableResult
  public static func apply() -> Bool { linux_map_blocks(Int32(mappedSize)) == 1 }
}
