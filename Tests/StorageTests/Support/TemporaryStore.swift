import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import GatehouseTestSupport
import Glibc

/// A store in a directory of its own, which goes away with the value.
final class TemporaryStore {
  let directory: String
  private(set) var store: Store
  private var reader: Reader
  /// The reader of the store.
  var reading: Reader { reader }

  convenience init(
    _ schema: String, options: StoreOptions = StoreOptions(),
    clock: @escaping @Sendable () -> Date = { Date(seconds: 1_700_000_000) }
  ) async throws {
    try await self.init(Schema(notation: Value(json: schema)), options: options, clock: clock)
  }

  init(
    _ schema: Schema, options: StoreOptions = StoreOptions(),
    clock: @escaping @Sendable () -> Date = { Date(seconds: 1_700_000_000) }
  ) async throws {
    var template = Array("\(Machine.scratch)/gatehouse-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(Machine.scratch) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    store = try Store(directory: directory, options: options, clock: clock)
    reader = try store.makeReader()
    if options.log != nil { try await store.lead() }
    _ = try await store.apply(schema, destructive: false)
  }

  deinit {
    for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
      unlink("\(directory)/\(name)")
    }
    rmdir(directory)
  }

  /// Closes the store and opens it again.
  func reopen() async throws {
    try await close()
    store = try Store(directory: directory)
    reader = try store.makeReader()
  }

  /// Ends the process' hold on the directory, as far as a process that lives on can.
  func close() async throws {
    await store.close()
  }

  var database: String { "\(directory)/gatehouse.db" }

  func apply(_ schema: String, destructive: Bool = false) async throws -> SchemaOutcome {
    try await store.apply(Schema(notation: Value(json: schema)), destructive: destructive)
  }

  func type(_ name: String) throws -> ObjectType {
    guard let type = store.schema[name] else { throw StorageError.unknownClass(name) }
    return type
  }

  func creation(
    _ objectType: String, _ json: String, _ policy: Operation.UpdatePolicy = .error
  ) throws -> Operation {
    let draft = try type(objectType).draft(
      from: Value(json: json), in: store.schema, mode: policy == .error ? .create : .update)
    return .create(objectType: objectType, draft: draft, policy: policy)
  }

  func replacement(
    _ objectType: String, _ id: Mixed, _ json: String, _ precondition: Operation.Precondition = .none
  ) throws -> Operation {
    let draft = try type(objectType).draft(from: Value(json: json), in: store.schema, mode: .replace())
    return .put(objectType: objectType, id: id, draft: draft, precondition: precondition)
  }

  func patch(
    _ objectType: String, _ id: Mixed, _ json: String, _ precondition: Operation.Precondition = .none
  ) throws -> Operation {
    let patch = try type(objectType).patch(from: Value(json: json), in: store.schema)
    return .update(objectType: objectType, id: id, patch: patch, precondition: precondition)
  }

  @discardableResult
  func perform(_ operations: Operation...) async throws -> Commit {
    try await store.perform(Transaction(operations, returning: .json))
  }

  @discardableResult
  func create(_ objectType: String, _ json: String) async throws -> Commit {
    try await perform(creation(objectType, json))
  }

  /// The object as plain JSON; nil where there is none.
  func object(_ objectType: String, _ id: Mixed) throws -> String? {
    var bytes: [UInt8] = []
    let version = try reader.object(objectType, id: id, projection: nil, as: .json, into: &bytes)
    return version == nil ? nil : String(decoding: bytes, as: UTF8.self)
  }

  func version(_ objectType: String, _ id: Mixed) throws -> Int64? {
    try reader.version(objectType, id: id)
  }

  func counts() throws -> [String: Int] {
    Dictionary(uniqueKeysWithValues: try reader.counts().map { ($0.objectType, $0.count) })
  }

  /// A page of objects, each as plain JSON.
  func page(
    _ objectType: String, _ request: QueryRequest, _ cursor: Cursor? = nil,
    framing: Reader.Framing = .sequence
  ) throws -> (objects: [String], next: Cursor?) {
    var plan = try Plan(request: request, schema: store.schema, objectType: objectType)
    plan.cursor = cursor
    var bytes: [UInt8] = []
    let page = try reader.page(plan, as: .json, framing: framing, into: &bytes)
    return (bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }, page.next)
  }

  /// The change log from `start` on, as plain JSON, and where to read on.
  func changes(
    from start: LogStart = .oldest, limit: Int = 100, objectType: String? = nil
  ) throws -> (changes: [String], next: String, isLast: Bool) {
    let page = try reader.changes(from: start, limit: limit, objectType: objectType)
    let texts = page.changes.map { change in
      var bytes: [UInt8] = []
      change.append(as: .json, in: store.schema, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    return (texts, page.next.text, page.isLast)
  }

  /// Returns the violations that a check of the file finds.
  func violations() throws -> [Violation] {
    try StoreSnapshot(directory: directory).check { _, _ in }
  }

  func count(_ objectType: String, _ request: QueryRequest) throws -> Int {
    try reader.count(Plan(request: request, schema: store.schema, objectType: objectType))
  }
}
