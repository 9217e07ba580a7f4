public import BSON
import Model
public import Storage
import Synchronization

/// Records who reads and writes what, as objects of class `AuditEvent`. Realm's `Events`.
public final class Recorder: Sendable {
  /// How much is kept, and how long.
  public struct Options: Hashable, Sendable {
    /// Seconds after which a scope that nobody has ended is given up.
    public var scopeLifetime: Int64 = 3600
    /// Scopes that may be in progress.
    public var mostScopes = 1024
    /// Bytes of data from which on an event is continued in a further one.
    public var largestText = 1 << 20
    /// Bytes of the content that stores an event of a client's own.
    public var largestCustomEvent = 64 << 10
    /// Events of their own that each caller may store in a minute.
    public var customEventsPerMinute = 600
    /// Bytes that events take on their way into the store in one transaction.
    public var batchSize = 4 << 20

    public init() {}
  }

  /// Something that nobody waits for, for the log.
  public enum Notice: Hashable, Sendable {
    case scopeExpired(id: Int)
    /// The scope ended while a request in it was writing: what that wrote is not in it.
    case scopeEndedEarly(id: Int)
  }

  private struct State {
    var metadata = Metadata.none
    var trailOnly = TrailOnlyVersions()
    var auditSchema = AuditSchema(Schema([]))
    var rate: EventRate
  }

  public let store: Store
  public let policy: Policy
  public let options: Options
  let clock: @Sendable () -> Date
  let makeID: @Sendable () -> ObjectID
  let notice: @Sendable (Notice) -> Void
  let representation: Representations.Function
  let scopes = ScopeRegistry()
  let storingQueue = SerialTaskQueue()
  private let state: Mutex<State>

  /// `clock` gives events their time; `notice` learns of what nobody is told otherwise; `representation` calls the
  /// functions that the schema names for what is recorded of objects.
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
    self.policy = policy
    self.options = options
    self.clock = clock
    self.makeID = makeID
    self.notice = notice
    self.representation = representation
    state = Mutex(State(rate: EventRate(limit: options.customEventsPerMinute)))
  }

  // Events

  /// Stores an event of somebody's own, that is none of a scope's, with the metadata as it is now, who it was, and a mark
  /// that tells it from recorded ones. Throws ``AuditError/reservedKind(_:)`` and ``AuditError/tooManyEvents(seconds:)``.
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

  /// Stores that something happened which belongs to no class, if the policy says so.
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

  // Metadata

  /// Sets what is stored with the events of scopes that begin later, and with custom events.
  public func updateMetadata(_ metadata: Metadata) {
    state.withLock { $0.metadata = metadata }
  }

  /// Sets what is stored with the events of scopes that begin later, and with custom events.
  public func updateMetadata(_ values: [String: String]) throws(AuditError) {
    updateMetadata(try Metadata(values.map { ($0.key, $0.value) }))
  }

  var metadata: Metadata { state.withLock { $0.metadata } }

  // The state of the store

  /// A commit wrote nothing but the trail.
  func noteQuiet(_ version: Int64) {
    state.withLock { $0.trailOnly.add(version) }
  }

  /// The version in which the data of `version` came about.
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
