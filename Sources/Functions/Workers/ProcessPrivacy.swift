internal import CGatehouseProcess

/// Hides this process from other processes.
public enum ProcessPrivacy {
  /// Closes what `/proc` shows of this process' memory, environment and descriptors to all processes that have no
  /// right to trace any (`PR_SET_DUMPABLE`, prctl(2)), those of the same user included. It dumps no core then. Programs
  /// that it starts are not affected.
  public static func begin() {
    _ = process_close_to_others()
  }
}
