import GatehouseBSON
import GatehouseStorage
import Synchronization

/// The apps of a cluster, in records of the default database: its log brings them to every node.
final class AppRegistry: Sendable {
  private static let kind = "app"
  /// The apps that are gone, by their identities: who was away removes what it has of them.
  private static let goneKind = "goneApp"
  /// The most that are remembered.
  private static let mostGone = 10_000

  private let store: Store
  /// Whether the records may be others than those that ``takeChange()`` has told of.
  private let hasChanged = Atomic(true)

  /// - Parameter news: Told when the apps may have changed.
  init(_ store: Store, news: News) {
    self.store = store
    store.observeRecords(ofKinds: [AppRegistry.kind]) { [weak self] _ in
      self?.noteChange()
      news.tell()
    }
  }

  private func noteChange() { hasChanged.store(true, ordering: .relaxed) }

  /// Whether the apps may have changed since this was asked last.
  func takeChange() -> Bool { hasChanged.exchange(false, ordering: .relaxed) }

  /// Whether this node is the one that makes and removes apps.
  var isLeading: Bool { store.isLeading }

  /// Returns the apps. Throws `StorageError`.
  func apps() throws(StorageError) -> [AppName: RegisteredApp] {
    var apps: [AppName: RegisteredApp] = [:]
    for record in try store.makeReader().records(AppRegistry.kind) {
      let app = try AppRegistry.app(record.name.key, record.value)
      apps[app.name] = app
    }
    return apps
  }

  /// Returns an app; nil: there is none of that name. Throws `StorageError`.
  func app(_ name: AppName) throws(StorageError) -> RegisteredApp? {
    guard let record = try store.makeReader().record(Record.Name(AppRegistry.kind, name.text)) else {
      return nil
    }
    return try AppRegistry.app(name.text, record)
  }

  private static func app(_ key: String, _ value: [UInt8]) throws(StorageError) -> RegisteredApp {
    guard let document = try? Document(bson: value), let app = RegisteredApp(name: key, record: document)
    else { throw .corrupt("app") }
    return app
  }

  /// Whether the app of that identity has been removed.
  func isGone(_ identity: String) throws(StorageError) -> Bool {
    try store.makeReader().record(Record.Name(AppRegistry.goneKind, identity)) != nil
  }

  /// Returns the identities of the apps that have been removed since a time.
  func gone(since time: Date) throws(StorageError) -> [String] {
    try store.makeReader().records(AppRegistry.goneKind).filter { record in
      guard case .date(let date)? = (try? Document(bson: record.value))?["removed"] else { return false }
      return date >= time
    }.map(\.name.key)
  }

  /// Adds an app; false: there is one of that name. Throws `StorageError/notLeading` where another node makes apps.
  func add(_ app: RegisteredApp) async throws(StorageError) -> Bool {
    defer { noteChange() }
    let name = Record.Name(AppRegistry.kind, app.name.text)
    return try await store.keep([RecordChange(name, try AppRegistry.value(app.record), expecting: .absent)])
  }

  /// Changes an app that is there; false: it is not.
  func change(_ name: AppName, _ change: (inout RegisteredApp) -> Void) async throws(StorageError) -> Bool {
    defer { noteChange() }
    let record = Record.Name(AppRegistry.kind, name.text)
    while let value = try store.makeReader().record(record) {
      var app = try AppRegistry.app(name.text, value)
      change(&app)
      let changed = try AppRegistry.value(app.record)
      if try await store.keep([RecordChange(record, changed, expecting: .value(value))]) { return true }
    }
    return false
  }

  /// Removes an app, and returns its identity; nil: there is none.
  func remove(_ name: AppName) async throws(StorageError) -> String? {
    defer { noteChange() }
    let record = Record.Name(AppRegistry.kind, name.text)
    while let value = try store.makeReader().record(record) {
      let app = try AppRegistry.app(name.text, value)
      let changes = [RecordChange(record, nil, expecting: .value(value))]
      let gone = try ([app.identity] + app.groups.flatMap(\.group.identities)).map(AppRegistry.goneRecord)
      guard try await store.keep(changes + gone) else { continue }
      try await forgetGone()
      return app.identity
    }
    return nil
  }

  /// Removes a group of an app's classes; false: it is not there.
  func removeGroup(_ identity: String, of name: AppName) async throws(StorageError) -> Bool {
    defer { noteChange() }
    let record = Record.Name(AppRegistry.kind, name.text)
    while let value = try store.makeReader().record(record) {
      var app = try AppRegistry.app(name.text, value)
      guard let group = app.groups.first(where: { $0.group.identity == identity })?.group else {
        return false
      }
      app.change(app.groups.filter { $0.group.identity != identity })
      let changes =
        [RecordChange(record, try AppRegistry.value(app.record), expecting: .value(value))]
        + (try group.identities.map(AppRegistry.goneRecord))
      guard try await store.keep(changes) else { continue }
      try await forgetGone()
      return true
    }
    return false
  }

  private static func goneRecord(of identity: String) throws(StorageError) -> RecordChange {
    RecordChange(Record.Name(goneKind, identity), try value(["removed": .date(.now)]))
  }

  /// Forgets the apps that were removed first, where there are too many. Identities are in the order in which they were made.
  private func forgetGone() async throws(StorageError) {
    let gone = try store.makeReader().records(AppRegistry.goneKind)
    guard gone.count > AppRegistry.mostGone else { return }
    _ = try await store.keep(
      gone.prefix(gone.count - AppRegistry.mostGone).map { RecordChange($0.name, nil) })
  }

  private static func value(_ document: Document) throws(StorageError) -> [UInt8] {
    guard let value = try? document.bson() else { throw .tooLarge }
    return value
  }
}
