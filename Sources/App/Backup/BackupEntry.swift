import GatehouseBSON
import GatehouseStorage
import Glibc

/// A file, a folder or a link of a data directory, as a backup has it.
struct BackupEntry: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case folder(mode: UInt32)
    case file(mode: UInt32, size: Int, digest: String)
    case link(target: String)
  }

  /// Relative to the data directory.
  let path: String
  let kind: Kind

  static let store = "gatehouse.db"
  /// The files and folders that make the service, beside the store.
  static let names = DataFile.allCases.map(\.name)
  /// So deep are folders looked through.
  private static let deepest = 64

  /// The paths of all entries of a data directory but the store, each folder before what is in it.
  static func paths(in directory: String) throws(CommandError) -> [String] {
    var paths: [String] = []
    for name in names { try add(name, in: directory, depth: deepest, to: &paths) }
    return paths
  }

  private static func add(
    _ path: String, in directory: String, depth: Int, to paths: inout [String]
  ) throws(CommandError) {
    var status = stat()
    guard lstat("\(directory)/\(path)", &status) == 0 else { return }
    paths.append(path)
    guard status.st_mode & S_IFMT == S_IFDIR else { return }
    guard depth > 0 else { throw .file(path: "\(directory)/\(path)", action: .read, code: ENAMETOOLONG) }
    for name in try FolderContents.names(in: "\(directory)/\(path)") {
      // An archive that is being written has a dot before its name.
      if path == DataFile.audit.name, name.hasPrefix(".") { continue }
      try add("\(path)/\(name)", in: directory, depth: depth - 1, to: &paths)
    }
  }

  /// Takes an entry up; the content of a file is `content`'s to read. Nil: it has gone, or is nothing that is kept.
  init?(
    _ path: String, in directory: String, content: (_ path: String, _ mode: UInt32) throws -> HashedFile
  ) throws {
    let place = "\(directory)/\(path)"
    var status = stat()
    guard lstat(place, &status) == 0 else { return nil }
    let mode = status.st_mode & 0o777
    self.path = path
    switch status.st_mode & S_IFMT {
    case S_IFDIR: kind = .folder(mode: mode)
    case S_IFLNK:
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(place, &target, target.count)
      guard count >= 0 else { return nil }
      kind = .link(target: String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
    case S_IFREG:
      let file = try content(place, mode)
      kind = .file(mode: mode, size: file.size, digest: file.digest)
    default: return nil
    }
  }

  init(path: String, kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// Makes the folder or the link in a directory; a file is others' to make.
  func make(in directory: String) throws(CommandError) {
    let place = "\(directory)/\(path)"
    switch kind {
    case .folder:
      // Until everything is in it, its owner has to write into it.
      guard mkdir(place, PrivateFiles.directoryMode) == 0 else {
        throw .file(path: place, action: .write, code: errno)
      }
    case .link(let target):
      guard symlink(target, place) == 0 else { throw .file(path: place, action: .write, code: errno) }
    case .file: break
    }
  }

  /// Gives a folder its mode.
  func finish(in directory: String) throws(CommandError) {
    guard case .folder(let mode) = kind else { return }
    let place = "\(directory)/\(path)"
    guard chmod(place, mode) == 0 else { throw .file(path: place, action: .write, code: errno) }
  }
}

extension BackupEntry {
  var notation: Value {
    switch kind {
    case .folder(let mode): ["path": .string(path), "mode": .string(BackupEntry.text(of: mode))]
    case .file(let mode, let size, let digest):
      [
        "path": .string(path), "mode": .string(BackupEntry.text(of: mode)), "size": .int64(Int64(size)),
        "sha256": .string(digest),
      ]
    case .link(let target): ["path": .string(path), "target": .string(target)]
    }
  }

  /// Nil: it is none, or leads out of the directory.
  init?(notation: Value) {
    guard case .document(let members) = notation, case .string(let path)? = members["path"],
      BackupEntry.isInside(path)
    else { return nil }
    self.path = path
    if case .string(let target)? = members["target"] {
      kind = .link(target: target)
      return
    }
    guard case .string(let mode)? = members["mode"], let mode = UInt32(mode, radix: 8), mode <= 0o777 else {
      return nil
    }
    guard let size = members["size"]?.wholeNumber, case .string(let digest)? = members["sha256"] else {
      kind = .folder(mode: mode)
      return
    }
    guard size >= 0, digest.utf8.count == 64, Hexadecimal.bytes(of: digest[...]) != nil else { return nil }
    kind = .file(mode: mode, size: Int(size), digest: digest)
  }

  private static func text(of mode: UInt32) -> String { "0" + String(mode, radix: 8) }

  private static func isInside(_ path: String) -> Bool {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = names.first.map(String.init) else { return false }
    return (BackupEntry.names + [store]).contains(first)
      && names.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
  }
}
