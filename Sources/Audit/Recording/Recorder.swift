public import GatehouseBSON
import GatehouseModel
public import GatehouseStorage
import Synchronization

/// Records who reads and writes what, as objects of class `AuditEvent`. Realm's `Events`.
public final class Recorder: Sendable {
  /// The bounds on scopes, events and their sizes.
  public struct Options: Hashable, Sendable {
    /// Seconds after which a scope that nobody has ended is given up.
    public var scopeLifetime: Int64 = 3600
    /// The most scopes in progress. One caller alone may have half of them.
    public var mostScopes = 1024
    /// The size in bytes of an event's data from which on it is continued in another event.
    public var largestText = 1 << 20
    /// The greatest size in bytes of the content that stores a client's own event.
    public var largestCustomEvent = 64 << 10
    /// The most events of their own that each caller may store in a minute. A caller who may not store any may have as
    /// many bytes recorded on demand in a minute as these would have at most.
    public var customEventsPerMinute = 600
    /// The most bytes that are stored in one transaction.
    public var batchSize = 4 << 20

    public init() {}

    fileprivate var bytesOnDemand: Int {
      let (bytes, isTooLarge) = customEventsPerMinute.multipliedReportingOverflow(by: largestCustomEvent)
      return isTooLarge ? .max : bytes
    }
  }

  /// An event for the log, since nobody waits for its outcome.
  public enum Notice: Hashable, Sendable {
    case scopeExpired(id: Int)
    /// The scope ended while a request in it was writing: that write is not in it.
    case scopeEndedEarly(id: Int)
  }

  private struct State {
    var metadata = Metadata.none
    var trailOnly = TrailOnlyVersions()
    var auditSchema = AuditSchema(Schema([]))
    /// Events of callers' own.
    var rate: EventRate
    /// Bytes that callers without the right to store events have had recorded on demand.
    var demand: EventRate
  }

  public let store: Store
  public let policy: Policy
  public let options: Options
  let clock: @Sendable () -> Date
  let makeID: @Sendable () -> ObjectID
  let notice: @Sendable (Notice) -> Void
  let representation: Representations.Function
  let scopes: ScopeRegistry
  let storingQueue = SerialTaskQueue()
  private let state: Mutex<State>

  /// Makes the recorder of a store. `clock` gives events their time; `notice` gets events for the log;
  /// `representation` calls the functions that the schema names for what is recorded of objects.
  public init(
    _ store: Store, policy: Policy = .onDemand, options: Options = Options(),
    clock: @escaping @Sendable () -> Date = { .now },
    makeID: @escaping @Sendable () -> ObjectID = { .generate() },
    notice: @escaping @Sendable (Notice) -> Void = { _ in },
    representation: @escaping @Sendable (_ function: String, _ object: Value) async throws -> Value = {
      _, _ in
      throw AuditError.disabled
    }
  ) {
    self.store = store
    scopes = ScopeRegistry(capacity: options.mostScopes)
    self.policy = policy
    self.options = options
    self.clock = clock
    self.makeID = makeID
    self.notice = notice
    self.representation = representation
    state = Mutex(
      State(
        rate: EventRate(limit: options.customEventsPerMinute), demand: EventRate(limit: options.bytesOnDemand)
      ))
  }

  // Events

  /// Stores a client's own event, which belongs to no scope, with the present metadata, its caller, and a mark that
  /// tells it from recorded events. Throws ``AuditError/reservedKind(_:)`` and
  /// ``AuditError/tooManyEvents(seconds:)``.
  public func recordEvent(
    activity: String, eventType: String?, data: String?, from source: EventSource = .program,
    adding extra: Metadata = .none
  ) async throws {
    guard policy.isEnabled else { throw AuditError.disabled }
    if let eventType, StoredEvent.Kind.isReserved(eventType) { throw AuditError.reservedKind(eventType) }
    let now = clock()
    if let account = source.account,
      let wait = state.withLock({ $0.rate.count(account, at: now.seconds) })
    {
      throw AuditError.tooManyEvents(seconds: wait)
    }
    let extra = extra.adding(.ofCustomEvent(by: source.caller))
    try await store(activity: activity, event: eventType, data: data, at: now, adding: extra)
  }

  private func store(
    activity: String, event: String?, data: String?, at time: Date, adding extra: Metadata
  ) async throws {
    let metadata = metadata.adding(extra)
    let event = StoredEvent(
      timestamp: time, activity: activity, event: event, data: data, metadata: metadata)
    try await prepare(metadata)
    try await store([event])
  }

  /// Stores an event that belongs to no class, if the policy records its kind.
  public func record(
    _ kind: StoredEvent.Kind, activity: String, data: String, adding extra: Metadata
  ) async throws {
    guard policy.isEnabled, policy.events.contains(kind) else { return }
    try await store(activity: activity, event: kind.rawValue, data: data, at: clock(), adding: extra)
  }

  /// Returns a hook that stores a `schema` event in the transaction that changes the schema; nil where the policy
  /// records no such events.
  public func schemaHook(
    _ changes: [String], activity: String, adding extra: Metadata
  ) async throws -> CommitHook? {
    guard policy.isEnabled, policy.events.contains(.schema) else { return nil }
    let metadata = metadata.adding(extra)
    try await prepare(metadata)
    var text = JSONText()
    text.append(#"{"changes":["#)
    for (index, change) in changes.enumerated() {
      if index > 0 { text.append(",") }
      text.string(change)
    }
    text.append("]}")
    let event = StoredEvent(
      timestamp: clock(), activity: activity, event: StoredEvent.Kind.schema.rawValue,
      data: String(decoding: text.bytes, as: UTF8.self), metadata: metadata)
    return hook(needsObjects: false) { _ in [event] }
  }

  // Recording on demand

  /// Makes sure that the account may have more recorded on demand; nil: as much as there is. Throws
  /// ``AuditError/tooManyEvents(seconds:)``.
  func requireRoom(for account: String?) throws(AuditError) {
    guard let account else { return }
    let now = clock().seconds
    if let wait = state.withLock({ $0.demand.wait(of: account, at: now) }) {
      throw .tooManyEvents(seconds: wait)
    }
  }

  /// Counts bytes that were recorded on demand. They have been shown or written, and so are counted whatever they are.
  func count(_ bytes: Int, recordedFor account: String?) {
    guard let account, bytes > 0 else { return }
    let now = clock().seconds
    state.withLock { $0.demand.add(bytes, to: account, at: now) }
  }

  // Metadata

  /// Whether scopes are open, which end with this value.
  public var hasScopes: Bool { !scopes.isEmpty }

  /// Sets the metadata of scopes that begin later, and of custom events.
  public func updateMetadata(_ metadata: Metadata) throws(AuditError) {
    try requireRoom(for: metadata)
    state.withLock { $0.metadata = metadata }
  }

  /// Sets the metadata of scopes that begin later, and of custom events.
  public func updateMetadata(_ values: [String: String]) throws(AuditError) {
    try updateMetadata(Metadata(values.map { ($0.key, $0.value) }))
  }

  /// The metadata of scopes that begin now, and of custom events.
  public var metadata: Metadata { state.withLock { $0.metadata } }

  // The state of the store

  /// Notes that a commit wrote nothing but the trail.
  func noteTrailOnly(_ version: Int64) {
    state.withLock { $0.trailOnly.add(version) }
  }

  /// Returns the version whose commit last changed data as of `version`.
  func dataVersion(of version: Int64) -> Int64 {
    state.withLock { $0.trailOnly.data(of: version) }
  }

  /// Returns what is derived from a schema, from a cache of one: most calls ask for the schema of the call before.
  func auditSchema(of schema: Schema) -> AuditSchema {
    state.withLock { state in
      // The same arrays most of the time, which is seen at once.
      if state.auditSchema.schema != schema { state.auditSchema = AuditSchema(schema) }
      return state.auditSchema
    }
  }
}
