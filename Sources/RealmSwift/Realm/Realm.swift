public import Dispatch
public import Foundation
import GatehouseLive
import GatehouseModel
public import GatehouseStorage
import Synchronization

/// A Realm: objects, and the transactions that change them. It belongs to the thread, queue or actor that opened it.
public struct Realm {
  let context: RealmContext

  init(context: RealmContext) { self.context = context }

  private static let opening = Mutex(())

  // Opening

  /// Opens the default Realm.
  public init(queue: DispatchQueue? = nil) throws {
    try self.init(configuration: .defaultConfiguration, queue: queue)
  }

  /// Opens a Realm, on a queue if there is one, else on the thread that asks.
  public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
    context = try Realm.open(configuration, Realm.confinement(on: queue))
  }

  /// Opens the Realm in a directory.
  public init(fileURL: URL) throws {
    var configuration = Configuration.defaultConfiguration
    configuration.fileURL = fileURL
    try self.init(configuration: configuration)
  }

  /// A Realm of a store that is open in this process, of which there are others who write.
  ///
  /// - Parameter writeLimit: How long a transaction may be open, since nobody else writes meanwhile; then it is rolled back, and
  ///   committing it throws. Nil: as long as it takes. A Realm that the thread, queue or actor has open already takes this limit.
  public init(
    store: Store, configuration: Configuration = .defaultConfiguration, queue: DispatchQueue? = nil,
    writeLimit: Duration? = Realm.storeWriteLimit
  ) throws {
    let (file, confinement) = (RealmFile.of(store), Realm.confinement(on: queue))
    try Realm.requireVersion(of: file, configuration, confinement)
    context = try Realm.open(file, configuration, confinement)
    context.writeLimit = writeLimit
  }

  /// How long a transaction of a Realm of an open store may be open, if nothing else is said: 10 seconds.
  public static var storeWriteLimit: Duration { .seconds(10) }

  /// Returns who may use a Realm that is opened on a queue, or, where there is none, by the thread that asks.
  private static func confinement(on queue: DispatchQueue?) -> Confinement {
    guard let confinement = queue.map({ Confinement.queue($0) }) else { return .current }
    if !confinement.isCurrent { fatalError("Realm opened from incorrect dispatch queue.") }
    return confinement
  }

  static func open(_ configuration: Configuration, _ confinement: Confinement) throws -> RealmContext {
    if configuration.encryptionKey != nil {
      throw Realm.Error(.fail, "Encrypted Realms are not supported.")
    }
    configuration.check()
    let path = configuration.directory
    if configuration.readOnly, !configuration.isInMemory, !fileExists(for: configuration) {
      throw Realm.Error(.fileNotFound, "Realm at path '\(path)' does not exist.", path: path)
    }
    let file = try RealmFile.open(path, isTemporary: configuration.isInMemory, configuration)
    try requireVersion(of: file, configuration, confinement)
    do {
      return try open(file, configuration, confinement)
    } catch let error as Realm.Error
      where error.code == .schemaMismatch && configuration.deleteRealmIfMigrationNeeded
    {
      try file.clear()
      return try open(file, configuration, confinement)
    }
  }

  /// Throws where who asks has the file open with another version of the same classes.
  private static func requireVersion(
    of file: RealmFile, _ configuration: Configuration, _ confinement: Confinement
  ) throws {
    let context = file.context(confinement, configuration)
    guard let context, context.configuration.schemaVersion != configuration.schemaVersion else { return }
    throw Realm.Error(
      .fail, "Realm at path '\(file.path)' already opened with different schema version", path: file.path)
  }

  static func open(
    _ file: RealmFile, _ configuration: Configuration, _ confinement: Confinement
  ) throws -> RealmContext {
    if let context = file.context(confinement, configuration) {
      guard context.configuration.readOnly == configuration.readOnly else {
        throw Realm.Error(
          .fail,
          "Realm at path '\(file.path)' already opened with different read permissions", path: file.path)
      }
      if let events = configuration.eventConfiguration { context.audit = try file.audit(events) }
      return context
    }
    return try opening.withLock { _ in
      let schema = configuration.objectTypes.map { Schema(of: $0) } ?? .shared
      try file.update(to: schema, configuration)
      let live: LiveRealm
      do throws(StorageError) { live = try LiveRealm(file.coordinator, confinement) } catch {
        throw Realm.Error(error, path: file.path)
      }
      let context = RealmContext(file, live, configuration, schema)
      if let events = configuration.eventConfiguration { context.audit = try file.audit(events) }
      file.add(context, confinement)
      Logger.shared.log(.info, "Opened '\(file.path)' with \(schema.objectSchema.count) classes.")
      return context
    }
  }

  // Its description

  /// The classes.
  public var schema: Schema { context.schema }

  /// The configuration that it was opened with.
  public var configuration: Configuration { context.configuration }

  /// Whether there is no object.
  public var isEmpty: Bool {
    context.check()
    return context.schema.objectSchema.allSatisfy { schema in
      schema.isEmbedded || schema.isAsymmetric
        || LiveResults(.objectType(schema.className), of: schema.className, in: context.live).count == 0
    }
  }

  // Transactions

  /// Runs `block` in a transaction, which is committed; if the block throws, it is cancelled.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
  ) throws -> Result {
    beginWrite()
    let result: Result
    do { result = try block() } catch {
      if isInWriteTransaction { cancelWrite() }
      throw error
    }
    if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
    return result
  }

  /// Begins a transaction, which waits for others, and sees the newest state.
  public func beginWrite() {
    context.check()
    if context.live.isFrozen { fatalError("Can't perform transactions on a frozen Realm") }
    if context.isReadOnly { fatalError("Can't perform transactions on read-only Realms.") }
    if context.live.write != nil { fatalError("The Realm is already in a write transaction") }
    if let limit = context.configuration.maximumNumberOfActiveVersions,
      context.file.coordinator.store.pinnedStates > limit
    {
      fatalError(
        "Number of active versions (\(context.file.coordinator.store.pinnedStates)) in the Realm exceeded the limit of \(limit)"
      )
    }
    let limit = context.writeLimit.map(\.nanoseconds)
    do throws(StorageError) {
      try context.live.beginWrite(limit: limit, isObserved: context.audit != nil)
    } catch {
      fatalError(error == .nestedWrite ? "The Realm is already in a write transaction" : error.realmText)
    }
    // A beginning that is still to come has what is written now, too.
    context.live.notify(withBeginnings: false)
  }

  /// Commits the transaction.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    context.check()
    if context.live.write == nil { fatalError("Can't commit a non-existing write transaction") }
    for token in tokens { token.requireRealm(context) }
    let base = context.live.version
    let committed: Int64
    do throws(StorageError) { committed = try context.commitWrite() } catch {
      throw Realm.Error(error, path: context.file.path)
    }
    for token in tokens { token.skip(committed, after: base) }
    Logger.shared.log(.debug, "Committed version \(context.live.version) of '\(context.file.path)'.")
    context.tellObservers(.didChange)
  }

  /// Takes back all changes of the transaction.
  public func cancelWrite() {
    context.check()
    if context.live.write == nil { fatalError("Can't cancel a non-existing write transaction") }
    context.live.cancelWrite()
  }

  /// Whether a transaction is open.
  public var isInWriteTransaction: Bool { context.live.write != nil }

  // States

  /// Whether the Realm goes on by itself when others commit, where that can be done.
  public var autorefresh: Bool {
    get { !isFrozen && context.live.autorefreshes }
    nonmutating set {
      if isFrozen, newValue { fatalError("Auto-refresh cannot be enabled for frozen Realms.") }
      context.live.autorefreshes = newValue
    }
  }

  /// Goes on to the newest state, and tells of what has changed; false: there is none.
  @discardableResult
  public func refresh() -> Bool {
    context.check()
    if context.live.isFrozen || context.live.write != nil { return false }
    let hasAdvanced: Bool
    do throws(StorageError) { hasAdvanced = try context.live.advance() } catch { fatalError(error.realmText) }
    if hasAdvanced { context.tellObservers(.didChange) }
    context.live.notify()
    return hasAdvanced
  }

  /// Lets go of the state that is read: objects and collections that were read are not valid any more.
  public func invalidate() {
    context.check()
    context.invalidate()
  }

  /// Whether the Realm never changes.
  public var isFrozen: Bool { context.live.isFrozen }

  /// Returns the Realm as it is now, which any thread may use.
  public func freeze() -> Realm {
    context.check()
    return Realm(context: context.frozen())
  }

  /// Returns the live Realm.
  public func thaw() -> Realm {
    isFrozen ? Realm(context: context.thawed()) : self
  }

  /// Returns an object as it is now.
  public func freeze<T: ObjectBase>(_ obj: T) -> T { obj.frozenCopy() }

  /// Returns the live object of a frozen one; nil: it was deleted.
  public func thaw<T: ObjectBase>(_ obj: T) -> T? { obj.thawedCopy() }

  /// Returns a collection as it is now.
  public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
    collection.freeze()
  }

  // Files

  /// Whether there is a Realm where the configuration says.
  public static func fileExists(for config: Configuration) -> Bool {
    if config.isInMemory { return RealmFile.isOpen(config.directory) }
    return FileManager.default.fileExists(atPath: "\(config.directory)/gatehouse.db")
  }

  /// Deletes the Realm; false: there is none. Throws while it is open.
  public static func deleteFiles(for config: Configuration) throws -> Bool {
    let path = config.directory
    if RealmFile.isOpen(path) {
      throw Realm.Error(
        .alreadyOpen, "Cannot delete files of an open Realm: '\(path)' is still in use.", path: path)
    }
    guard FileManager.default.fileExists(atPath: path) else { return false }
    RealmFile.remove(path)
    return true
  }

  /// Copies the Realm as it is into a new directory.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    context.check()
    if encryptionKey != nil { throw Realm.Error(.fail, "Encrypted Realms are not supported.") }
    try context.file.copy(to: fileURL.path)
  }

  /// Copies the Realm as it is to where a configuration says.
  public func writeCopy(configuration: Realm.Configuration) throws {
    context.check()
    try context.file.copy(to: configuration.directory)
  }
}

extension Realm: Equatable {
  /// Whether both are the same live view, or the same state of a file.
  public static func == (lhs: Realm, rhs: Realm) -> Bool {
    lhs.context === rhs.context
      || lhs.isFrozen && rhs.isFrozen && lhs.context.file === rhs.context.file
        && lhs.context.live.version == rhs.context.live.version
  }
}

extension Realm {
  /// A change of a Realm as a whole.
  public enum Notification: String, Sendable {
    /// Something was committed, and the Realm has gone on.
    case didChange = "RLMRealmDidChangeNotification"
    /// Something was committed, and the Realm does not go on by itself.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }

  /// Hears of changes of a Realm.
  public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

  /// Tells of each change of the Realm, until the token is invalidated.
  public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
    context.check()
    if isFrozen { fatalError("Frozen Realms do not change and do not have change notifications.") }
    if context.isReadOnly {
      fatalError("Read-only Realms do not change and do not have change notifications.")
    }
    let token = NotificationToken(context)
    context.observers[ObjectIdentifier(token)] = block
    return token
  }
}

extension Duration {
  /// The whole nanoseconds, at least 0.
  fileprivate var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return whole.overflow ? .max : whole.partialValue &+ UInt64(clamping: attoseconds / 1_000_000_000)
  }
}
