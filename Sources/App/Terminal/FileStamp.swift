import Glibc

/// The state of some files as the file system tells it: where it is equal, nobody has written them in between.
struct FileStamp: Hashable, Sendable {
  private struct Entry: Hashable {
    let path: String
    let inode: UInt64
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  private var entries: [Entry] = []

  /// Looks at files, which need not be there, and at all files in folders.
  init(of paths: [String], filesIn folders: String...) {
    for path in paths { add(path) }
    for folder in folders {
      add(folder)
      for name in (try? FolderContents.names(in: folder)) ?? [] { add("\(folder)/\(name)") }
    }
  }

  private mutating func add(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    entries.append(
      Entry(
        path: path, inode: UInt64(status.st_ino), size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
        nanoseconds: status.st_mtim.tv_nsec))
  }
}
