import GatehouseAPI
import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Glibc

/// The groups of an app: the file `groups.json` of its data directory, and the folder `groups`, with a data directory for each.
struct GroupsDirectory: Sendable {
  private let directory: String

  private static let folder = "groups"

  /// - Parameter directory: The data directory of the app.
  init(_ directory: String) {
    self.directory = directory
  }

  private var file: String { DataFile.groups.path(in: directory) }

  private var path: String { "\(directory)/\(GroupsDirectory.folder)" }

  /// Returns the data directory of a group.
  func directory(of name: GroupName) -> String { "\(path)/\(name.text)" }

  /// Returns the data directory of a group's store.
  func directory(of store: GroupStore) -> String { "\(path)/\(store.name)" }

  /// Returns the file of a group's store.
  func database(of store: GroupStore) -> String { "\(directory(of: store))/\(BackupEntry.store)" }

  /// The groups, sorted by name; none where there is no file. Throws ``CommandError``.
  func groups() throws(CommandError) -> [AppGroup] {
    guard access(file, F_OK) == 0 else { return [] }
    guard case .document(let document) = try JSONFile.value(at: file) else {
      throw .configuration(path: file, ConfigurationError(at: [String](), "Here an object should stand."))
    }
    var groups: [AppGroup] = []
    for element in document.elements {
      guard case .document(let record) = element.value,
        let group = AppGroup(name: element.key, record: record)
      else { throw .configuration(path: file, ConfigurationError(at: [element.key], "This is no group.")) }
      guard groups.allSatisfy({ $0.classes.isDisjoint(with: group.classes) }) else {
        throw .configuration(
          path: file,
          ConfigurationError(at: [element.key, "classes"], "Another group has one of the classes."))
      }
      groups = groups.with(group)
    }
    return groups
  }

  /// Takes the place of the groups, whole. Throws ``CommandError``.
  func write(_ groups: [AppGroup]) throws(CommandError) {
    try JSONFile.write(
      .document(Document(groups.map { Document.Element(key: $0.name.text, value: .document($0.record)) })),
      to: file)
  }

  // Changes, while nobody has the app open

  /// Makes a group, or gives it other classes. Throws ``GatehouseAPI/GroupError``, ``CommandError`` and `StorageError`.
  ///
  /// - Parameter shards: The number of stores that share the objects, which stays what it is; nil: one has all, or what it is.
  func put(_ name: GroupName, classes: Set<String>, shards: Int? = nil) throws {
    let groups = try groups()
    var own: Set<String> = []
    for store in groups.first(where: { $0.name == name })?.stores ?? []
    where access(database(of: store), F_OK) == 0 {
      own.formUnion(try self.classes(in: directory(of: store)))
    }
    let group = try groups.group(
      name, with: classes, shards: shards, main: try self.classes(in: directory), own: own)
    if !groups.contains(where: { $0.name == name }) {
      try makeFolders(of: group) { store, path in
        guard store != nil else { return }
        try Store(directory: path, options: Settings.plainStoreOptions).closeAndWait()
      }
    }
    try write(groups.with(group))
  }

  /// Removes a group with its store. Throws ``GatehouseAPI/GroupError``, ``CommandError`` and `StorageError`.
  ///
  /// - Parameter isConfirmed: Whether it may have objects.
  func remove(_ name: GroupName, isConfirmed: Bool) throws {
    let groups = try groups()
    guard let group = groups.first(where: { $0.name == name }) else { throw GroupError.notFound }
    for store in group.stores where access(database(of: store), F_OK) == 0 {
      if isConfirmed {
        // A server that has it open would go on writing into what is gone.
        try Store.whileNobodyHas(directory(of: store)) {}
        continue
      }
      let store = try Store(directory: directory(of: store), options: Settings.plainStoreOptions)
      defer { store.closeAndWait() }
      guard try store.makeReader().counts().allSatisfy({ $0.count == 0 }) else { throw GroupError.notEmpty }
    }
    try removeFolder(of: name)
    try write(groups.filter { $0.name != name })
  }

  // Nodes of a cluster

  /// Whether the groups are these, as a cluster says, each with a folder of its own. Throws ``CommandError``.
  func has(_ wanted: [AppGroup]) throws(CommandError) -> Bool {
    try groups() == wanted
      && wanted.allSatisfy { IdentityFile.identity(in: directory(of: $0.name)) == $0.identity }
  }

  /// Has the groups be these, whose stores come from their logs. Throws ``CommandError`` and `StorageError`.
  ///
  /// - Parameter isGone: Whether the group of an identity has been removed: its folder goes, and no other one.
  func keep(_ wanted: [AppGroup], isGone: (_ identity: String) throws -> Bool) throws {
    for name in try folders {
      guard let identity = IdentityFile.identity(in: directory(of: name)) else { continue }
      if try isGone(identity) { try removeFolder(of: name) }
    }
    for group in wanted where access(directory(of: group.name), F_OK) != 0 {
      try makeFolders(of: group) { store, path in
        try IdentityFile.write(store?.identity ?? group.identity, in: path)
      }
    }
    try write(wanted)
  }

  /// Whether one of the groups has a class of that name, which has been made. Throws ``CommandError`` and `StorageError`.
  func hasClass(_ name: String) throws -> Bool {
    // The last shard comes to a change after all others.
    guard let store = try groups().first(where: { $0.classes.contains(name) })?.stores.last,
      access(database(of: store), F_OK) == 0
    else { return false }
    return try classes(in: directory(of: store)).contains(name)
  }

  private func classes(in directory: String) throws -> Set<String> {
    let store = try Store(directory: directory, options: Settings.plainStoreOptions)
    defer { store.closeAndWait() }
    return Set(store.schema.objectTypes.map(\.name))
  }

  /// Makes the folder of a group, with one in it for each shard. `fill` is called with each: with the store that it is of, or with nil for
  /// the folder of a group of shards. Throws ``CommandError``.
  private func makeFolders(of group: AppGroup, _ fill: (_ store: GroupStore?, _ path: String) throws -> Void)
    throws
  {
    try makeFolder(of: group.name) { path in
      guard group.shards != nil else { return try fill(group.stores[0], path) }
      for store in group.stores {
        let folder = "\(path)/\(store.shard ?? 0)"
        guard mkdir(folder, PrivateFiles.directoryMode) == 0 else {
          throw CommandError.file(path: folder, action: .write, code: errno)
        }
        try fill(store, folder)
      }
      try fill(nil, path)
    }
  }

  /// Makes the folder of a group, which `fill` is called with before it has its name. Throws ``CommandError``.
  func makeFolder(of name: GroupName, _ fill: (_ path: String) throws -> Void) throws {
    guard mkdir(path, PrivateFiles.directoryMode) == 0 || errno == EEXIST else {
      throw CommandError.file(path: path, action: .write, code: errno)
    }
    try FileTree(path: directory).synchronizeNames()
    let draft = DraftFolder.path(in: path)
    do {
      guard mkdir(draft, PrivateFiles.directoryMode) == 0 else {
        throw CommandError.file(path: draft, action: .write, code: errno)
      }
      try fill(draft)
      try FileTree(path: draft).synchronize()
      guard rename(draft, directory(of: name)) == 0 else {
        throw CommandError.file(path: directory(of: name), action: .write, code: errno)
      }
    } catch {
      try? FileTree(path: draft).remove()
      throw error
    }
    try FileTree(path: path).synchronizeNames()
  }

  /// Removes the folder of a group, where there is one. Throws ``CommandError``.
  func removeFolder(of name: GroupName) throws(CommandError) {
    let draft = DraftFolder.path(in: path)
    guard rename(directory(of: name), draft) == 0 else {
      if errno == ENOENT { return }
      throw .file(path: directory(of: name), action: .write, code: errno)
    }
    try FileTree(path: path).synchronizeNames()
    try FileTree(path: draft).remove()
  }

  /// The names of the groups that have a folder.
  var folders: [GroupName] {
    get throws(CommandError) {
      guard access(path, F_OK) == 0 else { return [] }
      return try FolderContents.names(in: path).compactMap(GroupName.init)
    }
  }

  /// Has the store of a data directory take the classes that it may have: that of a group its own, and that of an app all that no
  /// group has. Throws ``CommandError``.
  static func bound(_ options: inout StoreOptions, of directory: String) throws(CommandError) {
    let own = try GroupsDirectory(directory).groups()
    if !own.isEmpty { options.classBounds = .except(own.reduce(into: []) { $0.formUnion($1.classes) }) }
    let parts = directory.split(separator: "/", omittingEmptySubsequences: false)
    // A shard's is one deeper.
    for depth in [2, 3] where parts.count > depth && parts[parts.count - depth] == folder {
      let groups = try GroupsDirectory(parts.dropLast(depth).joined(separator: "/")).groups()
      let name = parts.suffix(depth - 1).joined(separator: "/")
      groups.flatMap(\.stores).first { $0.name == name }?.bound(&options)
    }
  }
}
