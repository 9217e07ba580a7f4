import Glibc

/// A data directory, held by this process for as long as the value lives.
///
/// Two locks: of the directory itself, which nobody can take away by removing a file, and of the file `lock`, which
/// also says who holds it, and which holds where directories cannot be locked (NFS).
struct DataDirectory: ~Copyable {
  let path: String
  private let lock: Int32
  private let folder: Int32

  /// The database file.
  var database: String { "\(path)/gatehouse.db" }

  /// Creates the directory where there is none, and locks it. One that a backup was not wholly put into is for
  /// ``RestoredDirectory`` only.
  init(_ path: String, isRestored: Bool = false) throws(StorageError) {
    try DataDirectory.create(path)
    (lock, folder) = try DataDirectory.acquire(path, isRestored: isRestored)
    self.path = path
  }

  /// The store comes last: where it is, only the empty folder may have been left.
  private static func isWhole(_ path: String) -> Bool {
    let staging = "\(path)/\(RestoredDirectory.stagingName)"
    if access(staging, F_OK) != 0 { return true }
    return access("\(path)/gatehouse.db", F_OK) == 0 && rmdir(staging) == 0
  }

  /// Lets another process have the directory.
  func release() {
    flock(lock, LOCK_UN)
    if folder >= 0 { flock(folder, LOCK_UN) }
  }

  deinit {
    close(lock)
    if folder >= 0 { close(folder) }
  }

  private static func acquire(
    _ path: String, isRestored: Bool
  ) throws(StorageError) -> (lock: Int32, folder: Int32) {
    _ = PrivateFiles.restrict(path)
    let lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, PrivateFiles.fileMode)
    guard lock >= 0 else { throw .notWritable(path) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      defer { close(lock) }
      throw .locked(directory: path, holder: holder(of: lock))
    }
    let folder: Int32
    do throws(StorageError) {
      guard isRestored || isWhole(path) else { throw .unfinishedRestore(path) }
      folder = try acquireFolder(path, holder: lock)
    } catch {
      close(lock)
      throw error
    }
    note(in: lock)
    return (lock, folder)
  }

  /// Locks the directory itself; returns its descriptor, or -1 where the file system cannot lock directories.
  private static func acquireFolder(_ path: String, holder lock: Int32) throws(StorageError) -> Int32 {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw .notWritable(path) }
    if flock(folder, LOCK_EX | LOCK_NB) == 0 { return folder }
    defer { close(folder) }
    if errno == EWOULDBLOCK { throw .locked(directory: path, holder: holder(of: lock)) }
    return -1
  }

  /// Says who holds the directory, for whoever finds it locked. The locks are the kernel's, and end with the process.
  private static func note(in lock: Int32) {
    let note = "process \(getpid())"
    ftruncate(lock, 0)
    _ = note.withCString { pwrite(lock, $0, strlen($0), 0) }
  }

  /// Creates the directory, which nobody else sees into, and those above it, where there is none.
  static func create(_ path: String) throws(StorageError) {
    var leaf = path[...]
    while leaf.count > 1, leaf.hasSuffix("/") { leaf.removeLast() }
    var parent = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      parent += part
      defer { parent += "/" }
      let mode = parent == leaf ? PrivateFiles.directoryMode : 0o755
      guard !parent.isEmpty, mkdir(parent, mode) != 0, errno != EEXIST else { continue }
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
