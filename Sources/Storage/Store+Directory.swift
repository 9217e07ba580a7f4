extension Store {
  /// Calls `body` while this process holds the data directory at `path`, whose store is not opened. Throws
  /// ``StorageError/locked(directory:holder:)`` where another process holds it.
  public static func whileNobodyHas(_ path: String, _ body: () throws -> Void) throws {
    let directory = try DataDirectory(path, isRestored: true)
    defer { directory.release() }
    try body()
  }
}
