import GatehouseStorage
import Glibc

/// A directory that keeps backups.
struct BackupDirectory: BackupPlace {
  private let directory: String

  init(_ directory: String) {
    self.directory = directory
  }

  /// Whether a directory keeps backups.
  static func isOne(_ path: String) -> Bool {
    access("\(path)/\(BackupFolder.backups.rawValue)", F_OK) == 0
  }

  func path(of name: String, in folder: BackupFolder) -> String { "\(directory)/\(folder.rawValue)/\(name)" }

  func names(in folder: BackupFolder) throws -> Set<String> {
    Set(try FolderContents.names(in: "\(directory)/\(folder.rawValue)"))
  }

  func read(_ name: String, in folder: BackupFolder) throws -> [UInt8] {
    try InputFile.contents(of: path(of: name, in: folder))
  }

  func write(_ bytes: [UInt8], as name: String, in folder: BackupFolder) throws {
    if access(directory, F_OK) != 0 { try PrivateFiles.createDirectory(directory) }
    for folder in BackupFolder.allCases {
      let path = "\(directory)/\(folder.rawValue)"
      if access(path, F_OK) != 0 { try PrivateFiles.createDirectory(path) }
    }
    // Its name begins with a time, so that one that was left half-way is removed some day.
    let (file, draft) = (path(of: name, in: folder), path(of: "\(name).partial", in: .blobs))
    unlink(draft)
    try HashedFile.write(draft, mode: PrivateFiles.fileMode) { output throws(CommandError) in
      try output.write(bytes)
    }
    guard rename(draft, file) == 0 else { throw CommandError.file(path: file, action: .write, code: errno) }
    try FileTree(path: "\(directory)/\(folder.rawValue)").synchronizeNames()
  }

  func remove(_ name: String, in folder: BackupFolder) throws {
    let file = path(of: name, in: folder)
    guard unlink(file) == 0 || errno == ENOENT else {
      throw CommandError.file(path: file, action: .write, code: errno)
    }
  }
}
