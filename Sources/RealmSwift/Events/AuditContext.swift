import Foundation
import GatehouseAudit
import GatehouseBSON
import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Synchronization

/// A scope that has begun, and why its events cannot be stored, if that is so.
final class ActiveScope: Sendable {
  let scope: GatehouseAudit.Scope
  /// The file, which stays open until the events are stored.
  let file: RealmFile
  private let failure = Mutex<(any Swift.Error)?>(nil)

  init(_ scope: GatehouseAudit.Scope, in file: RealmFile) {
    self.scope = scope
    self.file = file
  }

  /// From 1, in the order in which scopes begin.
  var id: Int { scope.id }

  /// Whether it still records.
  var isActive: Bool { scope.isActive }

  var error: (any Swift.Error)? { failure.withLock { $0 } }

  /// Keeps the first error: nothing of the scope is stored then.
  func fail(_ error: any Swift.Error) { failure.withLock { $0 = $0 ?? error } }
}

/// The events of a file, for all Realms of it that were opened with a configuration of events (C:object-store/audit.mm).
final class AuditContext: Sendable {
  private struct State {
    var scopes: [ActiveScope] = []
    var configuration: EventConfiguration
    /// The links that were followed in a version, so that each is read once.
    var links: [PropertyPlace: Observation.Link] = [:]
    var version: Int64 = -1
  }

  /// The class of events.
  static let className = StoredEvent.className

  private let recorder: Recorder
  private let state: Mutex<State>
  /// The number of open scopes.
  private let count = Atomic(0)
  /// The number of ``GatehouseLive/Coordinator/nextState()`` at which a scope was begun last.
  private let begin = Atomic<UInt64>(0)
  private let queue = SerialTaskQueue()

  init(_ store: Store, _ configuration: EventConfiguration) throws(RLMError) {
    var options = Recorder.Options()
    // Programs end their scopes, or let go of them.
    options.scopeLifetime = 1 << 40
    options.mostScopes = 1 << 20
    options.customEventsPerMinute = .max
    recorder = Recorder(store, options: options)
    state = Mutex(State(configuration: configuration))
    try AuditContext.check(configuration)
    try update(configuration.metadata ?? [:])
  }

  /// Takes over the configuration with which the file was opened once more.
  func take(_ configuration: EventConfiguration) throws(RLMError) {
    try AuditContext.check(configuration)
    // A Realm of the same configuration leaves what the program has set since then.
    if configuration.metadata != self.configuration.metadata { try update(configuration.metadata ?? [:]) }
    state.withLock { $0.configuration = configuration }
  }

  private static func check(_ configuration: EventConfiguration) throws(RLMError) {
    if configuration.partitionPrefix.isEmpty {
      throw RLMError(.fail, "Audit partition prefix must not be empty")
    }
    if configuration.partitionPrefix.contains("/") {
      throw RLMError(
        .fail,
        "Invalid audit partition prefix '\(configuration.partitionPrefix)': prefix must not contain slashes")
    }
  }

  /// Sets the metadata of events that are begun from now on.
  func update(_ metadata: [String: String]) throws(RLMError) {
    do throws(AuditError) { try recorder.updateMetadata(metadata) } catch {
      throw RLMError(.fail, error.realmText)
    }
  }

  private var configuration: EventConfiguration { state.withLock { $0.configuration } }

  func log(_ level: LogLevel, _ message: String) {
    configuration.logger?(level, message)
    Logger.shared.log(level, message)
  }

  // Scopes

  func beginScope(_ activity: String, in file: RealmFile) -> ActiveScope {
    let scope: ActiveScope
    do throws(AuditError) { scope = ActiveScope(try recorder.beginScope(activity: activity), in: file) } catch
    {
      fatalError(error.realmText)
    }
    begin.store(Coordinator.nextState(), ordering: .sequentiallyConsistent)
    state.withLock { $0.scopes.append(scope) }
    count.add(1, ordering: .sequentiallyConsistent)
    return scope
  }

  private func forget(_ scope: ActiveScope) {
    state.withLock { state in
      let count = state.scopes.count
      state.scopes.removeAll { $0 === scope }
      precondition(state.scopes.count == count - 1, "a scope that ends was begun, and ends once")
      if state.scopes.isEmpty { state.links = [:] }
    }
    count.subtract(1, ordering: .sequentiallyConsistent)
  }

  func commit(_ scope: ActiveScope, _ completion: (((any Swift.Error)?) -> Void)?) {
    let finished: FinishedScope
    do throws(AuditError) { finished = try scope.scope.finish() } catch { fatalError(error.realmText) }
    forget(scope)
    let error = scope.error
    store(in: scope.file, completion) {
      if let error { throw error }
      try await finished.store()
    }
  }

  func cancel(_ scope: ActiveScope) {
    do throws(AuditError) { try scope.scope.cancel() } catch { fatalError(error.realmText) }
    forget(scope)
  }

  func recordEvent(
    in file: RealmFile, activity: String, type: String?, data: String?,
    completion: (((any Swift.Error)?) -> Void)?
  ) {
    let source = configuration.syncUser.map { EventSource(caller: "user:\($0.id)", account: nil) } ?? .program
    let (recorder, metadata) = (recorder, recorder.metadata)
    store(in: file, completion) {
      try await recorder.recordEvent(
        activity: activity, eventType: type, data: data, from: source, adding: metadata)
    }
  }

  /// Stores something in a file after all that came before.
  private func store(
    in file: RealmFile, _ completion: (((any Swift.Error)?) -> Void)?,
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    let handover = NotificationToken.Handover(value: completion)
    queue.enqueue { [self] in
      do {
        try await body()
        // The file is open until now.
        withExtendedLifetime(file) {}
        handover.value?(nil)
      } catch {
        let error = (error as? AuditError).map { RLMError(.fail, $0.realmText) as any Swift.Error } ?? error
        log(.error, "Events could not be stored: \(error)")
        if let completion = handover.value { return completion(error) }
        guard let handler = configuration.errorHandler else {
          fatalError("Events could not be stored: \(error)")
        }
        handler(error)
      }
    }
  }

  // Recording

  /// Whether a scope is open.
  var isRecording: Bool { count.load(ordering: .relaxed) > 0 }

  private var scopes: [ActiveScope] { state.withLock { $0.scopes } }

  /// Takes down objects that a query has found, once for each scope and state.
  func note(_ results: LiveResults, in context: RealmContext) {
    guard results.beginsObservation(since: begin.load(ordering: .sequentiallyConsistent)) else { return }
    let rows = results.all.compactMap { context.live.row(of: $0) }.filter { !context.isEmbedded($0) }
    if rows.isEmpty { return }
    record(context.live.observation(of: rows.map { ($0, nil) }), as: .query, in: context)
  }

  /// Takes down an object, and the link that led to it.
  func note(_ row: RowAddress, by link: PropertyPlace?, in context: RealmContext) {
    guard !context.isEmbedded(row) else { return }
    let known = link.flatMap { self.link($0, at: context.live.version) }
    var observation = context.live.observation(of: [(row, known == nil ? link : nil)])
    if let known {
      observation = Observation(
        version: observation.version, schema: observation.schema,
        reads: observation.reads.map { Observation.Read(object: $0.object, link: known) })
    } else if let link, let read = observation.reads.first?.link {
      keep(read, of: link, at: context.live.version)
    }
    record(observation, as: .objects, in: context)
  }

  private func link(_ place: PropertyPlace, at version: Int64) -> Observation.Link? {
    state.withLock { $0.version == version ? $0.links[place] : nil }
  }

  private func keep(_ link: Observation.Link, of place: PropertyPlace, at version: Int64) {
    state.withLock { state in
      if state.version != version || state.links.count >= AuditContext.mostLinks { state.links = [:] }
      state.version = version
      state.links[place] = link
    }
  }

  /// The most links that are known at a time.
  private static let mostLinks = 256

  private func record(_ observation: Observation, as kind: ReadKind, in context: RealmContext) {
    if observation.reads.isEmpty { return }
    let objects = observation.reads.flatMap { read in
      [read.object] + (read.link?.targets.compactMap { $0 } ?? [])
    }
    for scope in scopes {
      attempt(scope) {
        let representations = try RepresentedObjects(in: context).representations(
          of: objects.map { ($0.objectType, $0.key, $0.image) })
        try scope.scope.record(observation, as: kind, representing: representations)
      }
    }
  }

  /// Takes down a transaction that has been committed; `before` is the Realm as it was, `after` as it is.
  func note(
    _ changes: [GatehouseStorage.ObjectChange], before: RealmContext, after: RealmContext
  ) {
    if changes.isEmpty { return }
    for scope in scopes {
      attempt(scope) {
        let representations =
          try RepresentedObjects(in: before).representations(
            of: changes.compactMap { change in change.before.map { (change.objectType, change.key, $0) } })
          + RepresentedObjects(in: after).representations(
            of: changes.compactMap { change in change.after.map { (change.objectType, change.key, $0) } })
        try scope.scope.record(changes, in: after.live.schema, representing: representations)
      }
    }
  }

  private func attempt(_ scope: ActiveScope, _ body: () throws -> Void) {
    // One that has ended meanwhile does not want it any more.
    do { try body() } catch AuditError.scopeNotInProgress {} catch { scope.fail(error) }
  }
}

extension AuditError {
  /// The error as Realm says it.
  var realmText: String {
    switch self {
    case .scopeNotInProgress(let id):
      "Cannot end event scope: scope '\(id)' not in progress. Scope may have already been ended?"
    case .invalidMetadataKey(let key, .length):
      "Invalid audit metadata key '\(key)': keys must be 1-63 characters long"
    case .invalidMetadataKey(let key, .reserved):
      "Invalid audit metadata key '\(key)': metadata keys cannot overlap with the audit event properties"
    case .invalidMetadataKey(let key, .duplicate): "Duplicate audit metadata key '\(key)'"
    case .invalidMetadataKey(let key, .name):
      "Invalid audit metadata key '\(key)': it is no name of a property"
    case .reservedKind(let kind): "Events of kind '\(kind)' are recorded, and not stored by programs."
    case .tooManyMetadataKeys(let limit): "Events have at most \(limit) metadata keys."
    case .classOccupied: "The class 'AuditEvent' is not that of events."
    case .notRepresented(let objectType):
      "The class '\(objectType)' has a function that says what is recorded of it, which a program cannot call."
    case .tooManyEvents, .tooManyScopes: "There are too many events or scopes."
    case .disabled: "Events are not recorded."
    }
  }
}
