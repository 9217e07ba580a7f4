import GatehouseModel
import GatehouseStorage
import Glibc

/// The file `schema.json` of a data directory: the classes that the operator wants to be there.
struct SchemaFile: WatchedFiles {
  let path: String
  private let application: SchemaApplication
  private let store: Store
  /// Told of differences, and of a file that is of no use.
  private let write: @Sendable (String) -> Void

  init(
    _ dataDirectory: String, _ application: SchemaApplication, for store: Store,
    write: @escaping @Sendable (String) -> Void = { Output.error.tell($0) }
  ) {
    path = DataFile.schema.path(in: dataDirectory)
    self.application = application
    self.store = store
    self.write = write
  }

  var stamp: FileStamp { FileStamp(of: [path]) }

  /// Compares the file, where there is one, with the schema of a store, and applies it where that is asked for. Classes that it
  /// does not name stay as they are. Throws what `Store.apply` does.
  func use() async throws {
    // A store that follows has the schema of the one that leads.
    guard application != .off, store.isWritable, access(path, F_OK) == 0 else { return }
    let named = try Schema(notation: try JSONFile.value(at: path))
    let others = store.schema.objectTypes.filter { named[$0.name] == nil }
    let schema = try Schema(validating: named.objectTypes + others)
    let difference = store.schema.difference(to: schema)
    for change in difference.changes { write("\(path): \(change)\n") }
    guard application == .additive else { return }
    // A start converts nothing, though the store could: that is for somebody who looks on.
    guard difference.destructive.isEmpty else { throw StorageError.destructiveChange(difference.destructive) }
    _ = try await store.apply(schema, destructive: false)
  }
  func reload() async {
    do { try await use() } catch {
      write("gatehouse: \(path): \(FailureText.of(error)) (the old schema stays)\n")
    }
  }
}
