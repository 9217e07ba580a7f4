import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseStorage
import Glibc

/// The folder `apps` of a data directory: a data directory for each app.
struct AppsDirectory: Sendable {
  let path: String

  init(_ dataDirectory: String) {
    path = "\(dataDirectory)/apps"
  }

  /// Returns the data directory of an app.
  func directory(of name: AppName) -> String { "\(path)/\(name.text)" }

  /// The names of the apps that are there, sorted.
  var names: [AppName] {
    get throws(CommandError) {
      try FolderContents.names(in: path).compactMap(AppName.init).filter { isFolder(directory(of: $0)) }
    }
  }

  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the file of an app's store.
  func database(of name: AppName) -> String { "\(directory(of: name))/gatehouse.db" }

  var stamp: FileStamp { FileStamp(of: [path]) }

  func contains(_ name: AppName) -> Bool { access(directory(of: name), F_OK) == 0 }

  /// The stores of groups that each app has. Throws ``CommandError``.
  var groupStores: [AppName: [GroupStore]] {
    get throws {
      var stores: [AppName: [GroupStore]] = [:]
      for name in try names {
        stores[name] = try GroupsDirectory(directory(of: name)).groups().flatMap(\.stores)
      }
      return stores
    }
  }

  /// Whether a closed app may have something to do: it has triggers, or was not closed when its last process ended.
  func mayHaveWork(_ name: AppName) -> Bool {
    var log = stat()
    if stat("\(database(of: name))-wal", &log) == 0, log.st_size > 0 { return true }
    return hasTriggers(name)
  }

  func hasTriggers(_ name: AppName) -> Bool {
    let triggers = (try? FolderContents.names(in: DataFile.triggers.path(in: directory(of: name)))) ?? []
    return triggers.contains { $0.hasSuffix(".json") }
  }

  /// Makes an app, with the first key of an administrator, whose text it returns. It is there, whole, when this returns, and not at all
  /// before. Throws ``GatehouseAPI/AppError``, ``CommandError`` and `StorageError`.
  func create(_ name: AppName, atMost limit: Int) async throws -> String {
    let names = try names
    guard !names.contains(name) else { throw AppError.exists }
    guard names.count < limit else { throw AppError.tooMany(limit: limit) }
    try makeFolder()
    let draft = makeDraftName()
    do {
      let text = try await Store.with(draft) { store in
        try await AccessControl(store).makeKey(name: "first", role: "admin", classes: []).text
      }
      // Names are not there for good before their folder is.
      try FileTree(path: draft).synchronize()
      // It replaces no folder that has something in it (rename(2)).
      guard rename(draft, directory(of: name)) == 0 else {
        throw errno == EEXIST || errno == ENOTEMPTY
          ? AppError.exists : CommandError.file(path: directory(of: name), action: .write, code: errno)
      }
      try FileTree(path: path).synchronizeNames()
      return text
    } catch {
      try? FileTree(path: draft).remove()
      throw error
    }
  }

  /// Removes an app that this process has not open: it is gone, whole, when this returns. Throws ``GatehouseAPI/AppError``,
  /// ``CommandError``, and `StorageError.locked` where another process has it open.
  func remove(_ name: AppName) throws {
    let draft = makeDraftName()
    let directory = directory(of: name)
    guard contains(name) else { throw AppError.notFound }
    try Store.whileNobodyHas(directory) {
      guard rename(directory, draft) == 0 else {
        throw CommandError.file(path: directory, action: .write, code: errno)
      }
    }
    try FileTree(path: path).synchronizeNames()
    try FileTree(path: draft).remove()
  }

  /// Removes what was left by processes that ended while they made or removed an app.
  func removeDrafts() throws(CommandError) {
    for name in try FolderContents.names(in: path) where name.hasPrefix(DraftFolder.prefix) {
      try FileTree(path: "\(path)/\(name)").remove()
    }
  }

  /// Returns a name for what is being made, which nobody takes for an app.
  func makeDraftName() -> String { DraftFolder.path(in: path) }

  func makeFolder() throws(CommandError) {
    if mkdir(path, PrivateFiles.directoryMode) == 0 {
      return try FileTree(path: "\(path)/..").synchronizeNames()
    }
    guard errno == EEXIST else { throw .file(path: path, action: .write, code: errno) }
  }
}
