import FoundationEssentials
import GatehouseAPI
import GatehouseConformance
import GatehouseHTTP
import GatehouseModel
import GatehouseServer
import GatehouseStorage
import GatehouseTestSupport

/// A store of its own behind a server on a free port of the loopback address.
struct ServedStore {
  let connection: LoopbackConnection
  let store: Store
  private let server: HTTPServer
  private let directory: String

  init(
    _ schema: Schema, options: StoreOptions = StoreOptions(), drafts: (String) -> [ObjectDraft] = { _ in [] }
  ) async throws {
    directory = "\(Machine.scratch)/gatehouse-\(UUID())"
    let store = try Store(directory: directory, options: options)
    self.store = store
    _ = try await store.apply(schema, destructive: false)
    let operations = schema.objectTypes.filter { !$0.isEmbedded }.flatMap { type in
      drafts(type.name).map { Operation.create(objectType: type.name, draft: $0, policy: .error) }
    }
    if !operations.isEmpty { _ = try await store.perform(Transaction(operations)) }
    var configuration = Configuration(addresses: [try SocketAddress("127.0.0.1:0")])
    configuration.loopCount = 1
    // A busy machine takes its time, and a client that reads nothing is no slow one here.
    configuration.limits.progressTime = .seconds(3_600)
    configuration.limits.idleTime = .seconds(3_600)
    server = HTTPServer(configuration: configuration) { _ in try Gateway(store: store) }
    try server.start()
    connection = try LoopbackConnection(server.boundAddress)
  }

  /// Opens one more connection, from another address or with a small buffer for what the test does not read.
  func connect(from source: UInt32? = nil, buffer: Int32? = nil) throws -> LoopbackConnection {
    try LoopbackConnection(server.boundAddress, from: source, buffer: buffer)
  }

  /// Ends the server and deletes the store.
  func remove() async {
    await server.shutdown(deadline: .zero)
    await store.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Runs a test with a store; nothing is left of it afterwards.
  static func with(
    _ schema: Schema, drafts: (String) -> [ObjectDraft] = { _ in [] },
    _ body: (LoopbackConnection) throws -> Void
  ) async throws {
    let served = try await ServedStore(schema, drafts: drafts)
    let result = Result { try body(served.connection) }
    await served.remove()
    try result.get()
  }
}
