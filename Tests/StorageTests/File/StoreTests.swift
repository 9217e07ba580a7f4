import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Glibc
import Testing

private let schema = #"[{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int?"}}]"#

@Test func `a store opens again with everything that it had`() async throws {
  let store = try await TemporaryStore(schema)
  let version = try await store.create("A", #"{"id":1,"n":2}"#).version
  try await store.reopen()
  #expect(store.store.version == version)
  #expect(try store.object("A", .int(1)) == #"{"id":1,"n":2}"#)
  #expect(try store.counts() == ["A": 1])
  #expect(try await store.create("A", #"{"id":2}"#).version == version + 1)
}

@Test func `a second store on the directory is told who holds it`() async throws {
  let store = try await TemporaryStore(schema)
  do {
    _ = try Store(directory: store.directory)
    Issue.record("opened twice")
  } catch {
    guard case .locked(let directory, let holder) = error else { throw error }
    #expect(directory == store.directory)
    #expect(holder.hasPrefix("process "))
  }
}

@Test func `a lock file that somebody removed lets no second store in`() async throws {
  let store = try await TemporaryStore(schema)
  unlink("\(store.directory)/lock")
  #expect(throws: StorageError.locked(directory: store.directory, holder: "another process")) {
    _ = try Store(directory: store.directory)
  }
  try await store.reopen()
  #expect(try store.counts() == ["A": 0])
}

@Test func `transactions from many tasks are all there and each has its version`() async throws {
  let store = try await TemporaryStore(schema)
  let before = store.store.version
  let target = store.store
  let versions = try await withThrowingTaskGroup(of: Int64.self) { group in
    for id in 0..<500 {
      let operation = try store.creation("A", #"{"id":\#(id)}"#)
      group.addTask { try await target.perform(Transaction([operation])).version }
    }
    return try await group.reduce(into: []) { $0.append($1) }
  }
  #expect(versions.sorted() == Array(before + 1...before + 500))
  #expect(try store.counts() == ["A": 500])
}

@Test func `a transaction that fails fails alone among those that commit with it`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.create("A", #"{"id":7}"#)
  let target = store.store
  let failures = try await withThrowingTaskGroup(of: Bool.self) { group in
    for id in 0..<100 {
      let operation = try store.creation("A", #"{"id":\#(id)}"#)
      group.addTask {
        do { _ = try await target.perform(Transaction([operation])) } catch { return true }
        return false
      }
    }
    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
  #expect(failures == 1)
  #expect(try store.counts() == ["A": 100])
}

@Test func `what is loaded in pieces is one commit`() async throws {
  let store = try await TemporaryStore(schema)
  let before = store.store.version
  let pieces = Pieces(
    try (0..<10).map { piece in
      try (0..<100).map { try store.creation("A", #"{"id":\#(piece * 100 + $0)}"#) }
    })
  #expect(try await store.store.load { pieces.next() } == before + 1)
  #expect(try store.counts() == ["A": 1000])
}

@Test func `a load that breaks off leaves nothing`() async throws {
  let store = try await TemporaryStore(schema)
  struct Stop: Error {}
  let pieces = Pieces([[try store.creation("A", #"{"id":1}"#)]])
  await #expect(throws: OperationError(operation: 1, reason: .cancelled)) {
    try await store.store.load {
      guard let piece = pieces.next() else { throw Stop() }
      return piece
    }
  }
  #expect(try store.counts() == ["A": 0])
  #expect(try await store.create("A", #"{"id":1}"#).results[0].effect == .created)
}

@Test func `a file of another program is refused`() async throws {
  let store = try await TemporaryStore(schema)
  try await store.close()
  try Raw.execute("PRAGMA user_version = 99", on: store.database)
  #expect(throws: StorageError.unknownFormat(store.database)) { try Store(directory: store.directory) }
}

@Test func `nothing of a store is left when nobody holds it`() async throws {
  let directory = try await TemporaryStore(schema)
  let path = directory.directory + "/another"
  weak var store: Store?
  weak var reader: Reader?
  try await { () async throws in
    let owner = try Store(directory: path)
    let loop = try owner.makeReader()
    (store, reader) = (owner, loop)
    _ = try await owner.apply(Schema(notation: Value(json: schema)), destructive: false)
    let type = try #require(owner.schema["A"])
    let draft = try type.draft(from: ["id": .int64(1)], in: owner.schema, mode: .create)
    _ = try await owner.perform(Transaction([.create(objectType: "A", draft: draft, policy: .error)]))
    let plan = try Plan(
      request: QueryRequest(filter: "n == 7 OR n == 8"), schema: owner.schema, objectType: "A")
    #expect(try loop.count(plan) == 0)
    #expect(try await owner.read { try $0.count(plan) } == 0)
    #expect(openFiles(in: path).count > 3)
    await owner.close()
  }()
  #expect(store == nil)
  #expect(reader == nil)
  // The last of its threads may still be on its way out.
  var tries = 0
  while !openFiles(in: path).isEmpty, tries < 1000 {
    await Task.yield()
    tries += 1
  }
  #expect(openFiles(in: path) == [])
  for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] { unlink("\(path)/\(name)") }
  rmdir(path)
}

/// The files of a directory that this process has open.
private func openFiles(in directory: String) -> [String] {
  guard let folder = opendir("/proc/self/fd") else { return [] }
  defer { closedir(folder) }
  var files: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    var bytes = [CChar](repeating: 0, count: 512)
    let count = readlink("/proc/self/fd/\(name)", &bytes, bytes.count)
    let path = String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if path.hasPrefix(directory) { files.append(path) }
  }
  return files
}

@Test func `a store has a secret, and keeps it`() async throws {
  let store = try await TemporaryStore("[]")
  let secret = store.store.secret
  #expect(secret.count == 32)
  #expect(try await TemporaryStore("[]").store.secret != secret)
  try await store.reopen()
  #expect(store.store.secret == secret)
  // In a file from before there was one, or with another thing in its place, one is chosen.
  for damage in [
    "DELETE FROM _meta WHERE name = 'secret'", "UPDATE _meta SET value = 7 WHERE name = 'secret'",
  ] {
    try await store.close()
    try Raw.execute(damage, on: store.database)
    try await store.reopen()
    let chosen = store.store.secret
    #expect(chosen.count == 32 && chosen != secret)
    try await store.reopen()
    #expect(store.store.secret == chosen)
  }
}
