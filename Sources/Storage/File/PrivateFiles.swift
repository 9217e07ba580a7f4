import Glibc

/// Keeps what is in a data directory from other users of the machine: the objects, the hashes of passwords, and the keys
/// that tokens are signed with.
///
/// Files that we make there have these modes from the beginning, whatever the process' umask is; SQLite gives its other files
/// the mode of the database's.
public enum PrivateFiles {
  public static let directoryMode: UInt32 = 0o700
  public static let fileMode: UInt32 = 0o600

  /// A file or folder that others could look into.
  public struct Finding: Hashable, Sendable {
    public let path: String
    /// Why they still can, as an error number of the system; nil: they no longer can.
    public let failure: Int32?
  }

  private static let names = [
    "gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "gatehouse.db-journal", "gatehouse.db.partial",
    "lock",
  ]
  /// Folders that are looked through, so deep at most.
  private static let folders = ["auth", "audit"]
  private static let deepest = 4

  /// Takes away what the group and others may do with a data directory and what is in it, but for its functions, which
  /// are programs; returns what that was necessary for.
  public static func restrict(_ directory: String) -> [Finding] {
    var findings: [Finding] = []
    check(directory, &findings)
    for name in names { check("\(directory)/\(name)", &findings) }
    for name in folders { checkTree("\(directory)/\(name)", depth: deepest, into: &findings) }
    return findings
  }

  /// Creates a directory, which nobody else sees into, and those above it, where there is none.
  public static func createDirectory(_ path: String) throws(StorageError) {
    try DataDirectory.create(path)
  }

  /// Removes the files of a folder, if it is there.
  static func empty(_ folder: String) {
    for name in names(in: folder) { unlink("\(folder)/\(name)") }
  }

  /// Makes an empty file that SQLite finds, unless there is one.
  static func create(_ path: String) {
    // SQLite says better what is wrong with the path.
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, fileMode)
    if file >= 0 { close(file) }
  }

  /// A link's target is somebody else's.
  @discardableResult
  private static func check(_ path: String, _ findings: inout [Finding]) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else { return false }
    if status.st_mode & 0o077 != 0 {
      let isDone = chmod(path, status.st_mode & 0o700) == 0
      findings.append(Finding(path: path, failure: isDone ? nil : errno))
    }
    return kind == S_IFDIR
  }

  private static func checkTree(_ path: String, depth: Int, into findings: inout [Finding]) {
    guard check(path, &findings), depth > 0 else { return }
    for name in names(in: path) { checkTree("\(path)/\(name)", depth: depth - 1, into: &findings) }
  }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
