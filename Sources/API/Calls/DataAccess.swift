import GatehouseAccess
import GatehouseAudit
import GatehouseCrypto
import GatehouseHTTP
import GatehouseQuery
import GatehouseSharing
import GatehouseStorage

/// Reads and writes objects for the endpoints of one event loop.
///
/// `@unchecked Sendable`. Because the gateway that owns it, and the endpoints, use the reader and the plans on their
/// loop only; what other threads get of it is `Sendable` by itself.
final class DataAccess: @unchecked Sendable {
  let store: Store
  /// The loop's own reader.
  let reader: Reader
  /// The loop's reader of the store that has the keys, roles and users.
  let accounts: Reader
  /// The plans of the queries seen last on this loop.
  var plans = PlanCache()
  /// The policies that requests are held against.
  let policies: SharedPolicies.OfLoop
  /// Whether the first objects that are sent to a class make it.
  let infersClasses: Bool
  /// The names by which clients of MongoDB's protocols call the store.
  let sources: DataSourceNames
  let sessions: SessionValidator
  let audit: AuditRecording
  /// The group of classes that the store has; nil: there is one store.
  let place: GroupPlace?
  /// Returns the same call of the databases of the other groups; the gateway sets it once.
  var callsInOtherGroups: @Sendable (Call) throws -> [(Call, DataAccess)] = { _ in [] }
  /// Returns the same call of all shards of the group, where it is asked of all; empty: it is asked of this store. The gateway sets it
  /// once.
  var callsInShards: @Sendable (Call) async throws -> [(call: Call, context: Context)] = { _ in [] }
  /// Seals the cursors of callers from whom something is hidden.
  private let cursorSeal: MessageSeal?
  /// The cluster that the server is a node of; nil: it is alone.
  private let cluster: ClusterAccess?
  /// Decodes the large contents of this loop's requests.
  private let decoding: DecodingThread

  init(
    _ store: Store, readers: (objects: Reader, accounts: Reader), sessions: SessionValidator,
    audit: AuditRecording,
    _ options: GatewayOptions, at place: GroupPlace?
  ) {
    self.store = store
    self.place = place
    decoding = DecodingThread(on: store.scheduler)
    (reader, accounts) = readers
    self.sessions = sessions
    self.audit = audit
    policies = SharedPolicies.OfLoop(options.policies)
    infersClasses = options.infersClasses
    sources = options.sources
    cursorSeal = MessageSeal(key: store.secret)
    cluster = options.cluster
  }

  /// Waits some seconds for the store to come to a version; false: in vain.
  func hasCome(to version: Int64, within seconds: Int = 1) async -> Bool {
    await wait(seconds) { $0.version >= version }
  }

  /// Waits a second for the store to have an entry of its cluster's log, which its readers see then; false: in vain.
  func hasCome(toEntry entry: UInt64) async -> Bool {
    guard await wait(1, until: { ($0.replicationPoint?.sequence ?? .max) >= entry }) else { return false }
    reader.release()
    return true
  }

  private func wait(_ seconds: Int, until isSo: @escaping @Sendable (Store) -> Bool) async -> Bool {
    if isSo(store) { return true }
    guard let cluster else { return false }
    return await cluster.wait(.seconds(seconds)) { [store] in isSo(store) }
  }

  /// Whether another node of the cluster may have written something that the store does not have yet.
  var mayBeLate: Bool { cluster.map { !$0.standing().isLeading } ?? false }

  /// Has an attempt that needs to know a credential made anew as this node reads what others write, for a second at most, and returns its last
  /// outcome.
  ///
  /// - Parameter outcome: That of the first attempt.
  func repeated<Outcome>(
    _ outcome: Outcome, while isRefused: (Outcome) -> Bool, by attempt: () async -> Outcome
  ) async -> Outcome {
    var (outcome, entry) = (outcome, UInt64?.none)
    // Entries may come by the thousand.
    for milliseconds in [5, 10, 20, 40, 80, 160, 320, 365] where isRefused(outcome) {
      try? await Task.sleep(for: .milliseconds(milliseconds))
      let last = store.replicationPoint?.sequence
      if last == entry { continue }
      entry = last
      outcome = await attempt()
    }
    return outcome
  }

  /// Waits up to a second for the store to come to a version that another node of the cluster may have told of. Throws
  /// ``APIError/outOfDate`` where it does not come, unless this node knows that there is none: it leads, and has renewed its lease since.
  func reach(_ version: Int64) async throws(APIError) {
    guard let cluster, store.version < version else { return }
    // A leader does not have its own last commit before the others do, where the log's answer is lost; no lease lasts three seconds.
    if await hasCome(to: version, within: cluster.standing().isLeading ? 3 : 1) { return }
    let standing = cluster.standing()
    guard standing.isLeading, standing.hasLease else { throw .outOfDate }
  }

  /// Reads the store as it was, or is: on the loop what is brief, and on one of the store's threads what would keep other requests waiting, or is
  /// known to.
  func read<Answer: Sendable>(
    for call: Call, onThread: Bool = false, _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    if let past = call.past { return try await store.read(past, for: call.caller, body) }
    if !onThread, let answer = try reader.briefly(for: call.caller, body) { return answer }
    return try await store.read(for: call.caller, body)
  }

  /// Reads, on the loop or on a thread, and records what the answer shows before anybody gets it.
  func read<Answer: Sendable>(
    for call: Call, as kind: ReadKind, onThread: Bool = false,
    _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    guard let recording = call.recording, recording.recordsReads else {
      return try await read(for: call, onThread: onThread, body)
    }
    let (answer, observation) = try await read(for: call, onThread: onThread) { try $0.observing(body) }
    try await recording.record([observation], as: kind)
    return answer
  }

  /// Runs what reads and binds a query: of a large one on a thread of the store's, in the caller's turn.
  func bind<Bound: Sendable>(
    _ request: QueryRequest, for call: Call, _ body: @escaping @Sendable () throws -> Bound
  ) async throws -> Bound {
    guard request.isLarge else { return try body() }
    return try await store.read(for: call.caller) { _ in try body() }
  }

  /// Returns what the caller's cursors are sealed with; nil: they need not be.
  func seal(for call: Call) -> MessageSeal? {
    call.permit?.visibility == nil && call.past?.conditions.isEmpty != false ? nil : cursorSeal
  }

  /// Returns the plan of a query of the class: one of the loop's, or of a large query one made on a thread.
  func plan(_ request: QueryRequest, of objectType: String, for call: Call) async throws -> Plan {
    if !request.isLarge { return try plans.plan(for: request, objectType: objectType, in: call.schema) }
    return try await bind(request, for: call) {
      try Plan(request: request, schema: call.schema, objectType: objectType)
    }
  }

  /// Performs a transaction as far as the caller may, in the schema of the call, and records it with it.
  func perform(_ transaction: Transaction, for call: Call) async throws -> Commit {
    var transaction = try call.permit?.restricted(transaction) ?? transaction
    transaction.generation = call.generation
    transaction.caller = call.caller
    transaction.durability = call.preferences.durability ?? policies.current.durability
    guard let record = call.recording?.write() else {
      return try await store.perform(transaction).withReadableAnswer()
    }
    transaction.hook = record.hook()
    return try await record.commit { [store, transaction] in try await store.perform(transaction) }
      .withReadableAnswer()
  }

  /// Finds out what a transaction would do, as far as the caller may do it. Nothing of it stays, and nothing is recorded.
  func rehearse(_ transaction: Transaction, for call: Call) async throws -> Commit {
    var transaction = try call.permit?.restricted(transaction) ?? transaction
    transaction.generation = call.generation
    transaction.caller = call.caller
    transaction.isTrial = true
    return try await store.perform(transaction)
  }

  /// Returns what counts and checks a content that is still arriving; nil: all of it is there.
  func incomingContent(
    of request: Request, to endpoint: Endpoint, by principal: Principal
  ) -> IncomingContent? {
    guard !request.body.isWhole else { return nil }
    let start = sessions.now
    // Where it takes more than a second, its sender may have been shut out meanwhile.
    let needsCheck = endpoint.requires != .nothing
    return IncomingContent(
      for: Caller(address: request.peer.client, principal: principal.id), in: store, on: decoding
    ) { [sessions] in
      if needsCheck, sessions.now - start > 1_000_000_000 { try sessions.requireValidity(of: principal) }
    }
  }
}

extension RequestBody {
  /// Whether it can be read once more.
  var isWhole: Bool {
    switch self {
    case .empty, .bytes: true
    case .stream: false
    }
  }
}
