import GatehouseStorage
import Glibc

/// Puts a backup into a data directory that is empty, or not there: all of it, or nothing.
struct Restoration: ~Copyable {
  private let target: RestoredDirectory

  /// Names that an empty directory may have: its lock, and a folder of file systems.
  private static let harmless: Set<String> = ["lock", "lost+found", RestoredDirectory.stagingName]

  /// Throws ``CommandError`` where the directory is not empty, but for what a restore has left that was ended half-way: that is
  /// removed.
  init(into directory: String) throws {
    let target = try RestoredDirectory(directory)
    try Restoration.empty(target.path, but: target.staging)
    self.target = target
  }

  private static func empty(_ path: String, but staging: String) throws {
    let others = try FolderContents.names(in: path).filter { !harmless.contains($0) }
    let isUnfinished = access(staging, F_OK) == 0
    // The store comes last: where it is, nothing is ours to remove.
    let isOurs = isUnfinished && others.allSatisfy { BackupEntry.names.contains($0) }
    guard others.isEmpty || isOurs else { throw CommandError.notEmpty(path) }
    for name in others + [RestoredDirectory.stagingName] { try FileTree(path: "\(path)/\(name)").remove() }
    guard mkdir(staging, PrivateFiles.directoryMode) == 0 else {
      throw CommandError.file(path: staging, action: .write, code: errno)
    }
    // Before anything is in it: as long as it is there, the directory is no data directory.
    try FileTree(path: path).synchronizeNames()
  }

  /// Makes the entries of the manifest, the files by `content`, which throws where one is not as it should be. Then there is nothing
  /// in the directory.
  consuming func run(
    _ manifest: BackupManifest, content: (_ entry: BackupEntry, _ path: String) async throws -> Void
  ) async throws {
    let tree = FileTree(path: target.staging)
    do {
      for entry in manifest.entries {
        try entry.make(in: target.staging)
        if case .file = entry.kind { try await content(entry, "\(target.staging)/\(entry.path)") }
      }
      for entry in manifest.entries.reversed() { try entry.finish(in: target.staging) }
      try target.leaveCluster()
      try adopt(tree)
      try tree.synchronize()
    } catch {
      try? tree.remove()
      target.release()
      throw error
    }
    try move(tree)
    target.release()
  }

  /// A backup that root restores belongs to whoever the directory belongs to.
  private func adopt(_ tree: FileTree) throws(CommandError) {
    var status = stat()
    guard geteuid() == 0, stat(target.path, &status) == 0, status.st_uid != 0 else { return }
    for name in try FolderContents.names(in: tree.path) {
      try FileTree(path: "\(tree.path)/\(name)").give(to: status.st_uid, status.st_gid)
    }
    try FileTree(path: "\(target.path)/lock").give(to: status.st_uid, status.st_gid)
  }

  private func move(_ tree: FileTree) throws(CommandError) {
    for name in try FolderContents.names(in: tree.path).filter({ $0 != BackupEntry.store }) + [
      BackupEntry.store
    ] {
      guard rename("\(tree.path)/\(name)", "\(target.path)/\(name)") == 0 else {
        throw .file(path: "\(target.path)/\(name)", action: .write, code: errno)
      }
      // The store is not there before all else is.
      if name != BackupEntry.store { continue }
      try FileTree(path: target.path).synchronizeNames()
    }
    try tree.remove()
    try FileTree(path: target.path).synchronizeNames()
  }
}
