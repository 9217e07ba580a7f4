import FoundationEssentials
import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseCrypto
import GatehouseFeeds
import GatehouseFunctions
import GatehouseHTTP
import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

/// A gateway over a store of its own, without sockets.
struct Fixture {
  let store: Store
  let gateway: Gateway
  let loop = TestLoop()
  let directory: String

  init(
    _ schema: String? = Fixture.schema, limits: RequestLimits = RequestLimits(),
    conditionalWrites: ConditionalWrites = .optional, hosts: HostPolicy = HostPolicy(.any),
    cors: CORSPolicy? = nil, readiness: Readiness = Readiness(), metrics: Registry = Registry(),
    feeds: FeedOptions = FeedOptions(), feedMetrics: Registry? = nil,
    functions: FunctionHost = FunctionHost(), audit: Auditing? = nil,
    users providers: Providers? = nil, userLimits: Users.Limits = Users.Limits(),
    adminKey: String = "", report: (@Sendable ([UInt8]) -> Void)? = nil, queryTime: UInt64? = nil,
    slowQueries: SlowQueryLog? = nil, durability: Durability = .full,
    clock: @escaping @Sendable () -> GatehouseBSON.Date = { .now }, infersClasses: Bool = false,
    groups: [GatewayGroup] = [], apps: AppAdministration? = nil, rates: RateLimiter? = nil,
    storeOptions change: (inout StoreOptions) -> Void = { _ in }
  ) async throws {
    directory = "\(Machine.scratch)/gatehouse-\(FoundationEssentials.UUID())"
    var options = StoreOptions()
    options.appendOnlyClasses = [StoredEvent.className]
    options.queryTime = queryTime
    change(&options)
    store = try Store(directory: directory, options: options, metrics: metrics)
    let recorder = audit.map { [store] in $0.recorder(store) }
    let cost = try ScryptCost(iterations: 2, blockSize: 1, parallelism: 1)
    var users: Users?
    if let providers {
      users = try await Users(store, providers: providers, limits: userLimits, cost: cost, clock: clock)
      users?.setStores(of: groups.map { ($0.group, $0.store) })
    }
    var gatewayOptions = GatewayOptions()
    gatewayOptions.limits = limits
    gatewayOptions.policies.update {
      $0.hosts = hosts
      $0.cors = cors
      $0.conditionalWrites = conditionalWrites
      $0.durability = durability
      $0.slowQueries = slowQueries
      $0.rates = rates
    }
    gatewayOptions.readiness = readiness
    gatewayOptions.metrics = metrics
    gatewayOptions.broker = EventBroker(store, options: feeds, metrics: feedMetrics)
    gatewayOptions.functions = functions
    (gatewayOptions.groups, gatewayOptions.apps) = (groups, apps)
    gatewayOptions.access = try AccessControl(
      store, groups: groups.map(\.store), adminKey: AdminKey(adminKey), clock: clock)
    gatewayOptions.users = users
    gatewayOptions.recorder = recorder
    gatewayOptions.auditDetails = audit?.details ?? []
    gatewayOptions.report = report
    gatewayOptions.infersClasses = infersClasses
    gateway = try Gateway(store: store, options: gatewayOptions)
    gateway.start(on: loop)
    if let schema {
      let fields = adminKey.isEmpty ? [:] : ["authorization": "Bearer \(adminKey)"]
      let answer = try await send(.put, "/v1/schema", fields, json: schema)
      try #require(answer.status == 200, "\(answer.text)")
    }
  }

  /// Runs a test with a gateway; the store is gone afterwards.
  static func with(
    _ schema: String? = Fixture.schema, limits: RequestLimits = RequestLimits(),
    conditionalWrites: ConditionalWrites = .optional, hosts: HostPolicy = HostPolicy(.any),
    cors: CORSPolicy? = nil, readiness: Readiness = Readiness(), metrics: Registry = Registry(),
    functions: FunctionHost = FunctionHost(),
    _ body: (Fixture) async throws -> Void
  ) async throws {
    try await use(body) {
      try await Fixture(
        schema, limits: limits, conditionalWrites: conditionalWrites, hosts: hosts, cors: cors,
        readiness: readiness, metrics: metrics, functions: functions)
    }
  }

  /// Runs a test that gets the lines of the log about failures.
  static func with(
    report: @escaping @Sendable ([UInt8]) -> Void, _ body: (Fixture) async throws -> Void
  ) async throws {
    try await use(body) { try await Fixture(report: report) }
  }

  /// Runs a test with a gateway that has no classes yet.
  static func with(infersClasses: Bool, _ body: (Fixture) async throws -> Void) async throws {
    try await use(body) { try await Fixture(nil, infersClasses: infersClasses) }
  }

  /// Runs a test of event streams.
  static func with(_ feeds: FeedOptions, _ body: (Fixture) async throws -> Void) async throws {
    try await use(body) { try await Fixture(feeds: feeds) }
  }

  /// Runs a test in which reads and writes are recorded.
  static func with(
    _ audit: Auditing, _ schema: String? = Fixture.schema, _ body: (Fixture) async throws -> Void
  ) async throws {
    try await use(body) { try await Fixture(schema, audit: audit) }
  }

  private static let openStores = AsyncSemaphore(64)

  private static func use(
    _ body: (Fixture) async throws -> Void, made make: () async throws -> Fixture
  ) async throws {
    try await openStores.withPermit {
      let fixture = try await make()
      try await body(fixture)
      await fixture.remove()
    }
  }

  /// Makes roles, of which one is `member`, and returns the fields of requests of an administrator and of a member.
  func callers(
    under roles: String
  ) async throws -> (administrator: [String: String], member: [String: String]) {
    let answer = try await send(.put, "/v1/roles", json: roles)
    try #require(answer.status == 200, "\(answer.text)")
    let access = gateway.context.access
    var fields: [[String: String]] = []
    for role in ["admin", "member"] {
      let key = try await access.makeKey(name: "", role: role, classes: [])
      fields.append(["authorization": "Bearer \(key.text)"])
    }
    return (fields[0], fields[1])
  }

  /// Opens an event stream.
  func watch(_ target: String, _ fields: [String: String] = [:]) async throws -> Watcher {
    Watcher(try await stream(target, fields), on: loop)
  }

  /// An event stream that is granted and not yet begun.
  func stream(_ target: String, _ fields: [String: String] = [:]) async throws -> any PushSource {
    let fields = fields.merging(["accept": "text/event-stream"]) { $1 }
    let response = await respond(.get, target, fields, nil)
    guard case .pushed(let source) = response.body else {
      let answer = try await Answer(response)
      throw Unwatchable(answer: answer.text)
    }
    return source
  }

  /// Why there is no stream.
  struct Unwatchable: Error { let answer: String }

  /// Returns when everything that was committed has been handed to the streams.
  func settle() async {
    await gateway.context.events.broker.publishCommits()
    await loop.run {}
  }

  /// Ends the store and deletes its directory.
  func remove() async {
    await store.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  func send(
    _ method: GatehouseHTTP.Method, _ target: String, _ fields: [String: String] = [:], json: String
  ) async throws -> Answer {
    try await send(
      method, target, ["content-type": "application/json"].merging(fields) { $1 }, Array(json.utf8))
  }

  func send(
    _ method: GatehouseHTTP.Method, _ target: String, _ fields: [String: String] = [:],
    _ content: [UInt8]? = nil,
    from peer: PeerAddress = .local
  ) async throws -> Answer {
    let request = request(method, target, fields, content, from: peer)
    return try await withTaskExecutorPreference(loop) { [gateway] in
      try await Answer(await gateway.respond(to: request))
    }
  }

  func respond(
    _ method: GatehouseHTTP.Method, _ target: String, _ fields: [String: String], _ content: [UInt8]?,
    from peer: PeerAddress = .local
  ) async -> Response {
    let request = request(method, target, fields, content, from: peer)
    return await withTaskExecutorPreference(loop) { [gateway] in await gateway.respond(to: request) }
  }

  private func request(
    _ method: GatehouseHTTP.Method, _ target: String, _ fields: [String: String], _ content: [UInt8]?,
    from peer: PeerAddress
  ) -> Request {
    let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
    var request = Request(
      method: method, target: Target(path: halves[0], query: halves.count > 1 ? halves[1] : nil),
      fields: Fields(fields.sorted { $0.key < $1.key }.map { Fields.Line(name: $0.key, value: $0.value) }),
      body: content.map { .bytes($0) } ?? .empty)
    request.peer = peer
    return request
  }

  /// Everything that the store holds, as one text: what a refused request must leave alone.
  func everything() async throws -> String {
    var all = try await send(.get, "/v1/schema").text
    for objectType in store.schema.objectTypes where !objectType.isEmbedded {
      all += try await send(.get, "/v1/collections/\(objectType.name)").text
    }
    return all + "\(store.version)"
  }
}

/// A response, read to its end.
struct Answer {
  let status: UInt16
  let fields: [String: String]
  let content: [UInt8]

  init(_ response: Response) async throws {
    status = response.status.rawValue
    fields = Dictionary(response.fields.lines.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    switch response.body {
    case .empty: content = []
    case .bytes(let bytes): content = bytes
    // A pushed body has no end.
    case .pushed: content = []
    case .stream(let write):
      let collector = Collector()
      try await write(collector)
      content = await collector.bytes
    }
  }

  var text: String { String(decoding: content, as: UTF8.self) }

  /// The content as a document.
  var document: Document {
    get throws {
      guard case .document(let document) = try Value(json: content) else { return Document() }
      return document
    }
  }

  /// A problem's `code`.
  var code: String? {
    guard case .string(let code)? = try? document["code"] else { return nil }
    return code
  }

  /// The pointers of a problem's `errors`.
  var pointers: [String] {
    guard case .array(let errors)? = try? document["errors"] else { return [] }
    return errors.compactMap { error in
      guard case .document(let error) = error, case .string(let pointer)? = error["pointer"] else {
        return nil
      }
      return pointer
    }
  }

  /// A problem's `errors`, as plain JSON.
  var errors: String? {
    (try? document["errors"]).map { String(decoding: $0.plainJSON, as: UTF8.self) }
  }
}

/// Keeps what is streamed.
private actor Collector: BodyWriter {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: [UInt8]) {
    self.bytes += bytes
  }
}

extension Fixture {
  /// A class of each kind: with each sort of primary key, with links both ways, with an embedded object.
  static let schema = """
    [{"name":"Country","primaryKey":"code","properties":{"code":"string","name":{"type":"string","indexed":true},\
    "population":"int?","neighbours":"Country[]","names":"string{}",\
    "cities":{"type":"linkingObjects","objectType":"City","property":"country"}}},\
    {"name":"City","primaryKey":"_id","properties":{"_id":"int","name":"string",\
    "population":{"type":"int","default":0},"country":"Country?","location":"Location?","tags":"string<>"}},\
    {"name":"Location","embedded":true,"properties":{"latitude":"double","longitude":"double"}},\
    {"name":"Note","properties":{"text":"string?"}},\
    {"name":"Device","primaryKey":"id","properties":{"id":"uuid","seen":"date?"}}]
    """

  /// Three countries, and four cities in them.
  func populate() async throws {
    let countries = """
      [{"code":"JP","name":"Japan","population":126529100,"names":{"de":"Japan","fr":"Japon"}},\
      {"code":"DE","name":"Germany","population":82927922,"neighbours":["FR"]},\
      {"code":"FR","name":"France","population":66987244,"neighbours":["DE"]}]
      """
    let cities = """
      [{"_id":1,"name":"Tokyo","population":8336599,"country":"JP","location":{"latitude":35.5,"longitude":139.5}},\
      {"_id":2,"name":"Berlin","population":3426354,"country":"DE","tags":["capital"]},\
      {"_id":3,"name":"Paris","population":2138551,"country":"FR"},\
      {"_id":4,"name":"Osaka","population":2592413,"country":"JP"}]
      """
    for (name, objects) in [("Country", countries), ("City", cities)] {
      let answer = try await send(.post, "/v1/collections/\(name)", json: objects)
      try #require(answer.status == 201, "\(answer.text)")
    }
  }
}
