import Glibc

/// A directory with what is in it.
struct FileTree {
  let path: String

  /// Removes the directory, or the file, where it is there. A link is removed, and not what it leads to.
  func remove() throws(CommandError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard unlink(path) == 0 else { throw .file(path: path, action: .write, code: errno) }
      return
    }
    for name in try FolderContents.names(in: path) { try FileTree(path: "\(path)/\(name)").remove() }
    guard rmdir(path) == 0 else { throw .file(path: path, action: .write, code: errno) }
  }

  /// Gives everything in it to a user and a group.
  func give(to owner: uid_t, _ group: gid_t) throws(CommandError) {
    guard lchown(path, owner, group) == 0 else { throw .file(path: path, action: .write, code: errno) }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    for name in try FolderContents.names(in: path) {
      try FileTree(path: "\(path)/\(name)").give(to: owner, group)
    }
  }

  /// Returns when the names in it, and in the directories in it, are on the disk.
  func synchronize() throws(CommandError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    for name in try FolderContents.names(in: path) { try FileTree(path: "\(path)/\(name)").synchronize() }
    try synchronizeNames()
  }

  /// Returns when the names in it are on the disk.
  func synchronizeNames() throws(CommandError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(path: path, action: .write, code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .file(path: path, action: .write, code: errno) }
  }
}
