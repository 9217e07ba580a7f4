import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Glibc

@testable import GatehouseFeeds

/// A store in a directory of its own, which goes away with the value. Its first commit is that of the schema.
final class FeedStore {
  private let directory: String
  let store: Store
  let reader: Reader

  init(
    _ schema: String, clock: @escaping @Sendable () -> Date = { Date(seconds: 1_700_000_000) }
  ) async throws {
    var template = Array("\(Machine.scratch)/gatehouse-feeds-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(Machine.scratch) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    store = try Store(directory: directory, clock: clock)
    reader = try store.makeReader()
    _ = try await store.apply(Schema(notation: Value(json: schema)), destructive: false)
  }

  deinit {
    for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
      unlink("\(directory)/\(name)")
    }
    rmdir(directory)
  }

  func apply(_ schema: String) async throws {
    _ = try await store.apply(Schema(notation: Value(json: schema)), destructive: true)
  }

  func creation(_ objectType: String, _ json: String) throws -> Operation {
    let draft = try type(objectType).draft(from: Value(json: json), in: store.schema, mode: .create)
    return .create(objectType: objectType, draft: draft, policy: .error)
  }

  func update(_ objectType: String, _ id: Mixed, _ json: String) throws -> Operation {
    let patch = try type(objectType).patch(from: Value(json: json), in: store.schema)
    return .update(objectType: objectType, id: id, patch: patch, precondition: .none)
  }

  func deletion(_ objectType: String, _ id: Mixed) -> Operation {
    .delete(objectType: objectType, id: id, precondition: .none)
  }

  /// Replaces what a path leads to inside an object.
  func setting(
    _ objectType: String, _ id: Mixed, _ path: [String],
    _ change: (ResourcePath) throws -> GatehouseStorage.PropertyChange
  ) throws -> Operation {
    let path = try ResourcePath(path, of: type(objectType), in: store.schema)
    return .change(objectType: objectType, id: id, path: path, change: try change(path), precondition: .none)
  }

  /// Performs the operations in one commit.
  func commit(_ operations: Operation...) async throws {
    try await commit(operations)
  }

  func commit(_ operations: [Operation]) async throws {
    _ = try await store.perform(Transaction(operations))
  }

  func type(_ name: String) throws -> ObjectType {
    guard let type = store.schema[name] else { throw StorageError.unknownClass(name) }
    return type
  }
}
