import GatehouseStorage
import GatehouseTelemetry

extension Store {
  /// Opens the directory, runs `body`, and closes it, whatever comes of it.
  static func with<Result: Sendable>(
    _ directory: String, options: StoreOptions = Settings.plainStoreOptions, metrics: Registry = Registry(),
    body: (Store) async throws -> Result
  ) async throws -> Result {
    var options = options
    if options.classBounds == .any { try GroupsDirectory.bound(&options, of: directory) }
    for finding in PrivateFiles.restrict(directory) { Output.error.write("gatehouse: \(finding.text)\n") }
    let store = try Store(directory: directory, options: options, metrics: metrics)
    if store.failure == .diskFull {
      Output.error.write(
        "gatehouse: the disk of \(directory) is full: it can be read, and objects be deleted at most\n")
    }
    do {
      let result = try await body(store)
      await store.close()
      return result
    } catch {
      await store.close()
      throw error
    }
  }
}

extension PrivateFiles.Finding {
  /// The finding, as operators read it.
  var text: String {
    guard let failure else { return "\(path) could be looked into by other users; now it cannot" }
    return
      "\(path) can be looked into by other users, and that cannot be changed: \(SystemError.text(failure))"
  }
}
