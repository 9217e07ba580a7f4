import GatehouseBSON
import GatehouseStorage
import Glibc

/// A backup that is a directory with the files of a data directory, and a manifest.
struct DirectoryBackup {
  let path: String

  private var store: String { "\(path)/\(BackupEntry.store)" }
  private var manifestFile: String { "\(path)/\(BackupManifest.fileName)" }

  /// Makes the backup of a data directory in a directory that holds none. `progress` is told how many bytes of the store have been
  /// copied, of how many.
  ///
  /// The store has its name only when everything is on the disk.
  func write(
    of directory: String, program: String, progress: (_ done: Int, _ total: Int) -> Void
  ) throws -> BackupManifest {
    guard access(store, F_OK) != 0 else { throw StorageError.backupExists(path) }
    let snapshot = try StoreSnapshot(directory: directory)
    // Files come after the store: events that move from it to an archive are in both then, and not in neither.
    var manifest = BackupManifest(
      program: program, time: .now, version: try snapshot.version(), entries: [])
    let paths = try BackupEntry.paths(in: directory)
    try PrivateFiles.createDirectory(path)
    try clear()
    let draft = "\(store).partial"
    try snapshot.copy(to: draft, progress: progress)
    manifest.entries = try copy(paths, of: directory)
    let file = try HashedFile(reading: draft)
    manifest.entries.append(
      BackupEntry(
        path: BackupEntry.store,
        kind: .file(mode: PrivateFiles.fileMode, size: file.size, digest: file.digest)))
    try HashedFile.write(manifestFile, mode: PrivateFiles.fileMode) { output throws(CommandError) in
      try output.write(manifest.notation.plainJSON + [UInt8(ascii: "\n")])
    }
    try FileTree(path: path).synchronize()
    guard rename(draft, store) == 0 else {
      throw CommandError.file(path: store, action: .write, code: errno)
    }
    try FileTree(path: path).synchronizeNames()
    return manifest
  }

  /// Removes what a backup that was ended half-way has left.
  private func clear() throws(CommandError) {
    for name in BackupEntry.names + [BackupManifest.fileName] {
      try FileTree(path: "\(path)/\(name)").remove()
    }
  }

  private func copy(_ paths: [String], of directory: String) throws -> [BackupEntry] {
    var entries: [BackupEntry] = []
    for path in paths {
      let entry = try BackupEntry(path, in: directory) { source, mode in
        try HashedFile.copy(source, to: "\(self.path)/\(path)", mode: mode)
      }
      guard let entry else { continue }
      try entry.make(in: self.path)
      entries.append(entry)
    }
    for entry in entries.reversed() { try entry.finish(in: self.path) }
    return entries
  }

  /// Reads the manifest. Throws ``CommandError`` where the directory holds no backup.
  var manifest: BackupManifest {
    get throws {
      guard access(manifestFile, F_OK) == 0 else { throw CommandError.backup(path, .missing) }
      return try BackupManifest(notation: try JSONFile.value(at: manifestFile), at: manifestFile)
    }
  }

  /// Copies a file to another place; throws where it is not as the manifest says.
  func copy(_ entry: BackupEntry, to target: String) throws {
    guard case .file(let mode, let size, let digest) = entry.kind else { return }
    let source = "\(path)/\(entry.path)"
    guard try HashedFile.copy(source, to: target, mode: mode) == HashedFile(size: size, digest: digest) else {
      throw CommandError.backup(source, .damaged)
    }
  }
}
