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
    var scopes: [Int: Scope] = [:]
    var lastID = 0
    var quiet = QuietVersions()
    var schema = Schema([])
    var writers: [String: ObjectWriter] = [:]
  }

  /// Bytes that an event takes on its way into the store, beside its text, about.
  private static let eventSize = 1024

  public let store: Store
  public let policy: Policy
  public let options: Options
  let clock: @Sendable () -> Date
  private let makeID: @Sendable () -> ObjectID
  private let notice: @Sendable (Notice) -> Void
  private let representation: Representations.Function
  private let state = Mutex(State())
  private let lineup = Lineup()

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
  }

  // Scopes

  /// Begins a scope, of `owner`. It records what is done in its name until it is ended.
  public func beginScope(
    activity: String, owner: String = "", adding extra: Metadata = .none
  ) throws(AuditError) -> Scope {
    guard policy.isEnabled else { throw .disabled }
    let now = clock()
    expireScopes(now)
    let deadline = Date(seconds: now.seconds + options.scopeLifetime, nanoseconds: now.nanoseconds)
    let scope = state.withLock { state -> Scope? in
      guard state.scopes.count < options.mostScopes else { return nil }
      state.lastID += 1
      let scope = Scope(
        id: state.lastID, activity: activity, owner: owner, metadata: state.metadata.adding(extra),
        deadline: deadline, recorder: self)
      state.scopes[scope.id] = scope
      return scope
    }
    guard let scope else { throw .tooManyScopes }
    return scope
  }

  /// The owner's scope in progress of that id. Throws ``AuditError/scopeNotInProgress(_:)``.
  public func scope(_ id: Int, of owner: String) throws(AuditError) -> Scope {
    guard let scope = state.withLock({ $0.scopes[id] }), scope.isActive, scope.owner == owner else {
      throw .scopeNotInProgress(id)
    }
    return scope
  }

  /// Gives up scopes that nobody has ended.
  public func expireScopes() {
    expireScopes(clock())
  }

  private func expireScopes(_ now: Date) {
    let expired = state.withLock { state in
      state.scopes.values.filter { $0.deadline <= now }.sorted { $0.id < $1.id }
    }
    for scope in expired where scope.end() != nil {
      forget(scope)
      notice(.scopeExpired(id: scope.id))
    }
  }

  func forget(_ scope: Scope) {
    state.withLock { _ = $0.scopes.removeValue(forKey: scope.id) }
  }

  func commit(_ scope: Scope) async throws {
    try await lineup.run {
      guard let trail = scope.end() else { throw AuditError.scopeNotInProgress(scope.id) }
      self.forget(scope)
      try await self.store(trail, activity: scope.activity, metadata: scope.metadata)
    }
  }

  /// The scope will not have what was done in its name.
  func didLose(_ scope: Scope) {
    notice(.scopeEndedEarly(id: scope.id))
  }

  // Storing

  /// Stores an event that is none of a scope's, with the metadata as it is now.
  public func recordEvent(
    activity: String, eventType: String?, data: String?, adding extra: Metadata = .none
  ) async throws {
    guard policy.isEnabled else { throw AuditError.disabled }
    let metadata = state.withLock { $0.metadata }.adding(extra)
    let event = StoredEvent(
      timestamp: clock(), activity: activity, event: eventType, data: data, metadata: metadata)
    try await prepare(metadata)
    try await store([event])
  }

  /// Stores that something happened which belongs to no class, if the policy says so.
  public func record(
    _ kind: StoredEvent.Kind, activity: String, data: String, adding extra: Metadata
  ) async throws {
    guard policy.isEnabled, policy.events.contains(kind) else { return }
    try await recordEvent(activity: activity, eventType: kind.rawValue, data: data, adding: extra)
  }

  /// What stores that the schema changes, in the same transaction; nil where the policy does not say so.
  public func schemaSequel(
    _ changes: [String], activity: String, adding extra: Metadata
  ) async throws -> Sequel? {
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
    return sequel(needsObjects: false) { _ in [event] }
  }

  /// Sets what is stored with the events of scopes that begin later, and with custom events.
  public func updateMetadata(_ metadata: Metadata) {
    state.withLock { $0.metadata = metadata }
  }

  /// Sets what is stored with the events of scopes that begin later, and with custom events.
  public func updateMetadata(_ values: [String: String]) throws(AuditError) {
    updateMetadata(try Metadata(values.map { ($0.key, $0.value) }))
  }

  var metadata: Metadata { state.withLock { $0.metadata } }

  /// Makes sure that the store has the class, with a property for each key.
  func prepare(_ metadata: Metadata) async throws {
    while let (schema, generation) = try lackingSchema(metadata) {
      let outcome: SchemaOutcome
      do throws(StorageError) {
        outcome = try await store.apply(schema, destructive: false, generation: generation, privileged: true)
      } catch {
        // Somebody else's change came first.
        guard error == .schemaChanged else { throw error }
        continue
      }
      return noteQuiet(outcome.version)
    }
  }

  /// The schema with what it lacks, and the generation that it was made from; nil where it has everything.
  private func lackingSchema(_ metadata: Metadata) throws(AuditError) -> (schema: Schema, generation: Int64)?
  {
    let (schema, generation) = store.schemaState
    let present = schema[StoredEvent.className]
    if let present, !present.isTrail { throw .classOccupied }
    let missing = metadata.keys.filter { present?[$0] == nil }
    if present != nil, missing.isEmpty { return nil }
    let known = present?.properties.dropFirst(StoredEvent.properties.count).map(\.name) ?? []
    let type = StoredEvent.objectType(metadata: known + missing)
    var types = schema.objectTypes.map { $0.name == type.name ? type : $0 }
    if present == nil { types.append(type) }
    return (Schema(types), generation)
  }

  /// Stores the events of a trail: in one transaction, or in several where they are many.
  func store(_ trail: Trail, activity: String, metadata: Metadata) async throws {
    guard !trail.isEmpty else { return }
    let folded = FoldedTrail(trail)
    var progress = FoldedTrail.Progress()
    var (events, size): ([StoredEvent], Int) = ([], 0)
    var isPrepared = false
    while let next = try folded.next(&progress, limit: options.largestText) {
      events.append(
        StoredEvent(
          timestamp: next.time, activity: activity, event: next.kind.rawValue,
          data: String(decoding: next.text, as: UTF8.self), metadata: metadata))
      size += next.text.count + Recorder.eventSize
      guard size >= options.batchSize else { continue }
      if !isPrepared { try await prepare(metadata) }
      isPrepared = true
      try await store(events)
      (events, size) = ([], 0)
    }
    guard !events.isEmpty else { return }
    if !isPrepared { try await prepare(metadata) }
    try await store(events)
  }

  /// Stores events in one transaction of their own.
  func store(_ events: [StoredEvent]) async throws {
    var transaction = Transaction([])
    transaction.sequel = sequel(needsObjects: false) { _ in events }
    noteQuiet(try await store.perform(transaction).version)
  }

  /// A commit wrote nothing but the trail.
  func noteQuiet(_ version: Int64) {
    state.withLock { $0.quiet.add(version) }
  }

  /// What stores events that follow from a transaction with it.
  func sequel(
    needsObjects: Bool, _ events: @escaping @Sendable (Effects) throws(StorageError) -> [StoredEvent]
  ) -> Sequel {
    Sequel(needsObjects: needsObjects) { [makeID] effects throws(StorageError) in
      let events = try events(effects)
      if events.isEmpty { return [] }
      guard let type = effects.schema[StoredEvent.className], type.isTrail,
        events.allSatisfy({ $0.metadata.keys.allSatisfy { type[$0] != nil } })
      else { throw .sequelFailed(StoredEvent.className) }
      var chain = Chain.origin
      if case .string(let last)? = try effects.last(type.name, "chain") { chain = last }
      var operations: [Storage.Operation] = []
      for event in events {
        let next = event.creation(id: makeID(), after: chain, in: type)
        operations.append(next.0)
        chain = next.chain
      }
      return operations
    }
  }

  // Representations

  /// Asks the functions of the classes what is to be recorded of objects. What cannot be recorded so is not done: that
  /// the object itself is recorded is what the function is there to prevent.
  func represent(
    _ subjects: some Sequence<Representations.Subject>, in schema: Schema, _ known: inout Representations
  ) async throws(AuditError) {
    for subject in subjects where known[subject] == nil {
      guard let function = schema[subject.objectType]?.representingFunction else { continue }
      do { known[subject] = try await representation(function, subject.image.value { _ in .null }) } catch {
        throw .notRepresented(objectType: subject.objectType)
      }
    }
  }

  // For trails

  func makeTrail() -> Trail {
    Trail { [store] in try store.makeSpool() }
  }

  /// The version in which the data of `version` came about.
  func dataVersion(of version: Int64) -> Int64 {
    state.withLock { $0.quiet.data(of: version) }
  }

  /// What writes the objects of each class but the trail's, embedded ones included.
  func writers(for schema: Schema) -> [String: ObjectWriter] {
    state.withLock { state in
      // The same array most of the time, which is seen at once.
      if state.schema == schema, !state.writers.isEmpty { return state.writers }
      var writers: [String: ObjectWriter] = [:]
      for type in schema.objectTypes where type.name != StoredEvent.className {
        writers[type.name] = ObjectWriter(type, in: schema)
      }
      (state.schema, state.writers) = (schema, writers)
      return writers
    }
  }
}

extension ObjectType {
  /// Whether it is the class that the recorder makes.
  var isTrail: Bool {
    properties.prefix(StoredEvent.properties.count).elementsEqual(StoredEvent.properties)
  }
}
