import Storage
import Telemetry

extension Store {
  /// Opens the directory, runs `body`, and closes it, whatever comes of it.
  static func with<Result: Sendable>(
    _ directory: String, options: StoreOptions = Settings.plainStoreOptions, metrics: Registry = Registry(),
    body: (Store) async throws -> Result
  ) async throws -> Result {
    let store = try Store(directory: directory, options: options, metrics: metrics)
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
