import Glibc

/// A data directory, held by this process for as long as the value lives.
struct DataDirectory: ~Copyable {
  let path: String
  private let lock: Int32

  /// The database file.
  var database: String { "\(path)/gatehouse.db" }

  /// Creates the directory where there is none, and locks it.
  init(_ path: String) throws(StorageError) {
    lock = try DataDirectory.acquire(path)
    self.path = path
  }

  /// Lets another process have the directory.
  func release() {
    flock(lock, LOCK_UN)
  }

  deinit {
    close(lock)
  }

  private static func acquire(_ path: String) throws(StorageError) -> Int32 {
    try create(path)
    let lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard lock >= 0 else { throw .notWritable(path) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      defer { close(lock) }
      throw .locked(directory: path, holder: holder(of: lock))
    }
    // For whoever finds the directory locked. The lock itself is the kernel's, and ends with the process.
    let note = "process \(getpid())"
    ftruncate(lock, 0)
    _ = note.withCString { pwrite(lock, $0, strlen($0), 0) }
    return lock
  }

  /// Creates the directory, and those above it, where there is none.
  static func create(_ path: String) throws(StorageError) {
    var parent = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      parent += part
      defer { parent += "/" }
      guard !parent.isEmpty, mkdir(parent, 0o755) != 0, errno != EEXIST else { continue }
      // A parent that we may not create in can still hold the directory.
      guard access(parent, F_OK) == 0 else { throw .notWritable(parent) }
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path) }
  }

  private static func holder(of file: Int32) -> String {
    var note = [UInt8](repeating: 0, count: 64)
    let count = pread(file, &note, note.count, 0)
    return count > 0 ? String(decoding: note.prefix(count), as: UTF8.self) : "another process"
  }
}
