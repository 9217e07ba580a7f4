import GatehouseBSON
import GatehouseCrypto

extension Settings {
  /// The most workers of an app's functions, where it does not say it: processes are dear.
  private static let appWorkers = 2

  /// Returns the settings by which a server of these serves an app. Throws ``CommandError``.
  ///
  /// - Parameter nodeKey: The key by which nodes of a cluster ask each other for the app; nil: the server is alone.
  func settings(of name: AppName, nodeKey: String? = nil) throws -> Settings {
    var settings = self
    settings.data = AppsDirectory(data).directory(of: name)
    settings.origin = nil
    (settings.hosting, settings.hostingFallback, settings.backupTo) = ("", "", "")
    settings.functionsDirectory = ""
    settings.functionsWorkers = min(functionsWorkers, Settings.appWorkers)
    // Room that nobody may use would be kept a thousand times.
    settings.reserveMegabytes = 0
    // A key of the server's is worth nothing in an app, which needs one all the same: this one nobody knows.
    settings.adminKey = nodeKey ?? Hexadecimal.text(of: SecureRandom.bytes(24))
    return try AppFile(in: settings.data).settings(over: settings)
  }

  /// Returns these settings of an app for a store of a group of its classes.
  func settings(of store: GroupStore) -> Settings {
    var settings = self
    settings.data = GroupsDirectory(data).directory(of: store)
    return settings
  }

  /// Returns these settings for a command on the data directory of an app, `shop`, or of a group of its classes, `shop/archive`, or of
  /// a shard of one, `shop/archive/0`. Throws ``CommandError``.
  func settings(ofAppNamed text: String) throws -> Settings {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = AppName(parts[0]), AppsDirectory(data).contains(name) else {
      throw CommandError.invalidValue(name: "--app", text: text, expected: "the name of an app of \(data)")
    }
    var settings = self
    settings.data = AppsDirectory(data).directory(of: name)
    if parts.count > 1 {
      let stores = try GroupsDirectory(settings.data).groups().flatMap(\.stores)
      guard let store = stores.first(where: { $0.name == parts[1] }) else {
        throw CommandError.invalidValue(
          name: "--app", text: text,
          expected: "the names of an app and of one of its groups, APP/GROUP, or of a shard, APP/GROUP/0")
      }
      settings = settings.settings(of: store)
    }
    settings.functionsDirectory = ""
    return settings
  }
}
