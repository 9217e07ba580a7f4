import GatehouseAudit
import GatehouseModel
import GatehouseStorage
import Glibc

/// The files of old events: the folder `audit` of the data directory.
struct AuditFolder: Sendable {
  let path: String

  init(dataDirectory: String) {
    path = DataFile.audit.path(in: dataDirectory)
  }

  /// The archives that hold events before the key, or all, in the order of their events. A file from that key on was
  /// written by a server that died before it removed the events from the store.
  func archives(before key: ObjectKey?) -> [String] {
    var found: [(key: Int64, name: String)] = []
    for name in (try? FolderContents.names(in: path)) ?? [] {
      guard let first = Archive.firstKey(ofFile: name), key.map({ first.value < $0.value }) ?? true else {
        continue
      }
      found.append((first.value, "\(path)/\(name)"))
    }
    return found.sorted { $0.key < $1.key }.map(\.name)
  }

  /// Writes an archive: it is on the disk, whole, when this returns.
  func write(_ archive: Archive) throws(CommandError) {
    if mkdir(path, PrivateFiles.directoryMode) == 0 { try sync("\(path)/..") }
    let (file, draft) = ("\(path)/\(archive.name)", "\(path)/.\(archive.name)")
    try Output.replaceFile(at: file, by: draft, with: archive.content)
    try sync(path)
  }

  /// Has a store that follows another one write an archive of the events that a transaction is about to remove. Whoever reads the log
  /// has to be told after that: there is no other copy of them here.
  func takeRetirements(of store: Store) {
    store.handleNotices(ofKind: Recorder.retirement) { [weak store] notice in
      guard let store else { throw CancellationError() }
      try Recorder.archive(by: notice, of: store) { try write($0) }
    }
  }

  /// Names are not there for good before their directory is.
  private func sync(_ path: String) throws(CommandError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw .file(path: path, action: .write, code: errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw .file(path: path, action: .write, code: errno) }
  }
}
