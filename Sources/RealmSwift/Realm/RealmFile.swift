import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Glibc
import Synchronization

/// A directory that this process has open, with the Realms that it has of it.
///
/// `@unchecked Sendable`. Because what changes is behind the lock, or written before others know the file.
final class RealmFile: @unchecked Sendable {
  private struct Reference {
    weak var file: RealmFile?
  }

  private struct Instance {
    weak var context: RealmContext?
    let confinement: UInt
  }

  let path: String
  let coordinator: Coordinator
  /// Whether the directory goes when nobody has it open any more.
  let isTemporary: Bool
  /// Whether somebody else opened the store, and closes it.
  let isBorrowed: Bool
  private let instances = Mutex(())
  private var contexts: [Instance] = []
  private let auditing = Mutex<AuditContext?>(nil)

  private static let opening = Mutex<[String: Reference]>([:])

  /// Returns the open file at a path; it is opened, and made, if it is not.
  static func open(
    _ path: String, isTemporary: Bool, _ configuration: Realm.Configuration
  ) throws -> RealmFile {
    try opening.withLock { files in
      if let file = files[path]?.file { return file }
      try prepare(path, configuration)
      let file = try RealmFile(path, isTemporary: isTemporary)
      files[path] = Reference(file: file)
      return file
    }
  }

  /// Makes a Realm that is not there of its seed, and one that is there smaller, as the configuration says.
  private static func prepare(_ path: String, _ configuration: Realm.Configuration) throws {
    guard access("\(path)/gatehouse.db", F_OK) == 0 else {
      if let seed = configuration.seedFilePath { try copy(seed.path, to: path) }
      return
    }
    guard let shouldCompact = configuration.shouldCompactOnLaunch else { return }
    do throws(StorageError) {
      let size = try closed { () throws(StorageError) in try Compaction.size(ofStoreIn: path) }
      guard shouldCompact(size.total, size.used) else { return }
      _ = try closed { () throws(StorageError) in try Compaction.run(directory: path) }
    } catch {
      throw Realm.Error(error, path: path)
    }
  }

  /// Whether the file at a path is open.
  static func isOpen(_ path: String) -> Bool { opening.withLock { $0[path]?.file != nil } }

  private init(_ path: String, isTemporary: Bool) throws {
    self.path = path
    self.isTemporary = isTemporary
    isBorrowed = false
    do throws(StorageError) { coordinator = Coordinator(try RealmFile.store(at: path)) } catch {
      throw Realm.Error(error, path: path)
    }
  }

  /// The file of a store that is open.
  init(of store: Store) {
    path = ""
    isTemporary = false
    isBorrowed = true
    coordinator = Coordinator(store)
  }

  /// The file of a store that somebody else has open, the same for all who ask.
  static func of(_ store: Store) -> RealmFile {
    opening.withLock { files in
      let key = "store \(ObjectIdentifier(store).hashValue)"
      if let file = files[key]?.file, file.coordinator.store === store { return file }
      let file = RealmFile(of: store)
      files[key] = Reference(file: file)
      return file
    }
  }

  /// SQLITE_BUSY.
  private static let busy: Int32 = 5

  /// Opens the store.
  private static func store(at path: String) throws(StorageError) -> Store {
    var options = StoreOptions()
    options.logSize = 256 << 20
    options.reserveSize = 0
    // As a gateway has it, whose directory this may be.
    options.appendOnlyClasses = [AuditContext.className]
    return try closed { () throws(StorageError) in try Store(directory: path, options: options) }
  }

  /// Returns what `body` does to a directory; a store of it that this process is just closing is waited for.
  private static func closed<Answer>(_ body: () throws(StorageError) -> Answer) throws(StorageError) -> Answer
  {
    for _ in 0..<2000 {
      do throws(StorageError) { return try body() } catch {
        switch error {
        case .locked(_, let holder) where holder == "process \(getpid())": break
        // The last connection is being closed, which has the file alone for a moment
        // (sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode).
        case .sqlite(let code, _) where code == busy: break
        default: throw error
        }
        usleep(1_000)
      }
    }
    return try body()
  }

  deinit {
    if isBorrowed { return }
    coordinator.store.closeAndWait()
    if isTemporary { RealmFile.remove(path) }
  }

  /// Returns what records the events of all Realms of the file, as the configuration says from now on.
  func audit(_ configuration: EventConfiguration) throws -> AuditContext {
    try auditing.withLock { audit in
      if let audit {
        try audit.take(configuration)
        return audit
      }
      let new = try AuditContext(coordinator.store, configuration)
      audit = new
      return new
    }
  }

  // Realms of the file

  /// Returns the Realm of who asks, if there is one already with these classes.
  func context(_ confinement: Confinement, _ configuration: Realm.Configuration) -> RealmContext? {
    instances.withLock { _ in
      contexts.removeAll { $0.context == nil }
      return contexts.lazy.filter { $0.confinement == confinement.identity }.compactMap(\.context)
        .first { $0.configuration.hasSameClasses(as: configuration) }
    }
  }

  /// Returns a live Realm that who asks may use; nil: there is none.
  func currentContext(_ configuration: Realm.Configuration) -> RealmContext? {
    instances.withLock { _ in
      contexts.lazy.compactMap(\.context).first {
        $0.live.confinement.isCurrent && $0.configuration.hasSameClasses(as: configuration)
      }
    }
  }

  func add(_ context: RealmContext, _ confinement: Confinement) {
    instances.withLock { _ in
      contexts.append(Instance(context: context, confinement: confinement.identity))
    }
  }

  /// Removes all classes, and so all objects.
  func clear() throws {
    do throws(StorageError) {
      _ = try coordinator.store.applyAndWait(GatehouseModel.Schema([]), destructive: true)
      try forgetSchemaVersion()
    } catch {
      throw Realm.Error(error, path: path)
    }
  }

  /// Copies what was committed into a new directory.
  func copy(to directory: String) throws { try RealmFile.copy(path, to: directory) }

  /// Copies what was committed to a directory into a new one.
  static func copy(_ path: String, to directory: String) throws {
    if access("\(directory)/gatehouse.db", F_OK) == 0 {
      throw Realm.Error(.fileExists, "Realm at path '\(directory)' exists already.", path: directory)
    }
    mkdir(directory, 0o700)
    do throws(StorageError) {
      try StoreSnapshot(directory: path).copy(to: "\(directory)/gatehouse.db") { _, _ in }
    } catch {
      throw Realm.Error(error, path: directory)
    }
  }

  /// Removes a directory and what is in it.
  static func remove(_ path: String) {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      if entry.pointee.d_type == UInt8(DT_DIR) {
        remove("\(path)/\(name)")
      } else {
        unlink("\(path)/\(name)")
      }
    }
    closedir(folder)
    rmdir(path)
  }
}
