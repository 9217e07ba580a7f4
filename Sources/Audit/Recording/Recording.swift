import GatehouseBSON
import GatehouseModel
public import GatehouseStorage

/// The reads and writes to record of one request, and the scopes that they go to.
public struct Recording: Sendable {
  /// The recording that a request asks for, whatever the policy says.
  public struct Demand: Sendable {
    /// The scopes that it joins.
    let scopes: [Int]
    /// Whose they are.
    let owner: String
    /// The activity of a request that is a scope by itself; nil: it is none.
    let activity: String?
    /// The account that is counted for what is recorded; nil: as much as there is.
    let account: String?

    public init(scopes: [Int], owner: String, activity: String?, account: String?) {
      self.scopes = scopes
      self.owner = owner
      self.activity = activity
      self.account = account
    }

    static let nothing = Demand(scopes: [], owner: "", activity: nil, account: nil)

    var isEmpty: Bool { scopes.isEmpty && activity == nil }
  }

  private let recorder: Recorder
  private let scopes: [Scope]
  private let demand: Demand
  private let activity: String
  private let metadata: Metadata

  /// Nil where nothing of the request is to be recorded.
  ///
  /// - Parameters:
  ///   - name: What is recorded as its activity where nobody says.
  ///   - extra: Metadata of this request.
  ///
  /// Throws ``AuditError/scopeNotInProgress(_:)``, ``AuditError/disabled``, ``AuditError/tooManyEvents(seconds:)``, and
  /// ``GatehouseSharing/BudgetError`` where a scope has come to take more than its caller's share.
  public init?(
    _ recorder: Recorder, _ demand: Demand, named name: String, adding extra: Metadata
  ) async throws {
    guard recorder.policy.isEnabled else {
      if !demand.isEmpty { throw AuditError.disabled }
      return nil
    }
    guard !demand.isEmpty || !recorder.policy.always.isEmpty else { return nil }
    self.recorder = recorder
    self.demand = demand
    if !demand.isEmpty { try recorder.requireRoom(for: demand.account) }
    var scopes: [Scope] = []
    for id in demand.scopes where !scopes.contains(where: { $0.id == id }) {
      let scope = try recorder.scope(id, of: demand.owner)
      try scope.reserve()
      scopes.append(scope)
    }
    self.scopes = scopes
    activity = demand.activity ?? name
    metadata = recorder.metadata.adding(extra)
    if isScope || !recorder.policy.always.isEmpty { try await recorder.prepare(metadata) }
  }

  /// Records an action of the program itself, as far as the policy always records; nil if it records nothing.
  public init?(_ recorder: Recorder, named name: String) async throws {
    try await self.init(recorder, .nothing, named: name, adding: .none)
  }

  /// Whether the request is a scope by itself.
  private var isScope: Bool { demand.activity != nil }

  /// Whether answers have to tell what they have shown.
  public var recordsReads: Bool {
    isScope || !scopes.isEmpty || recorder.policy.records(.read)
  }

  /// Takes down what an answer has shown, one state of the store after the other; returns when what is stored at once
  /// is durable. Throws ``AuditError/tooManyEvents(seconds:)``.
  public func record(_ observations: [Observation], as kind: ReadKind) async throws {
    let observations = observations.filter { !$0.reads.isEmpty }
    guard !observations.isEmpty else { return }
    // A long answer comes piece by piece.
    if !demand.isEmpty { try recorder.requireRoom(for: demand.account) }
    let time = recorder.clock()
    let known = try await representations(observations)
    for scope in scopes {
      let bytes = try scope.record { trail in
        let size = trail.size
        try add(observations, as: kind, at: time, known, to: &trail) { _ in true }
        return trail.size - size
      }
      recorder.count(bytes, recordedFor: demand.account)
    }
    var trail = recorder.makeTrail()
    try add(observations, as: kind, at: time, known, to: &trail) {
      isScope || recorder.policy.records(.read, of: $0)
    }
    if isScope, !trail.isEmpty {
      recorder.count(trail.size + Recorder.eventSize, recordedFor: demand.account)
    }
    try await recorder.store(trail, activity: activity, metadata: metadata)
  }

  /// Asks the classes' functions for the representations of the objects that are to be recorded, and of the targets
  /// of their links.
  private func representations(_ observations: [Observation]) async throws(AuditError) -> Representations {
    var known = Representations()
    for observation in observations {
      let functions = observation.schema.objectTypes.filter { $0.representingFunction != nil }.map(\.name)
      if functions.isEmpty { continue }
      let objects = observation.reads.flatMap { read in
        [read.object] + (read.link?.targets.compactMap { $0 } ?? [])
      }
      let subjects = objects.filter { functions.contains($0.objectType) }.map {
        Representations.Subject(objectType: $0.objectType, image: $0.image)
      }
      try await recorder.represent(subjects, in: observation.schema, &known)
    }
    return known
  }

  /// The trail is not recorded itself: each look at it would make it longer.
  private func add(
    _ observations: [Observation], as kind: ReadKind, at time: Date, _ known: Representations,
    to trail: inout Trail, where records: (String) -> Bool
  ) throws {
    for observation in observations {
      let version = recorder.dataVersion(of: observation.version)
      try trail.add(observation, version: version, as: kind, at: time, known) {
        $0 != StoredEvent.className && records($0)
      }
    }
  }

  /// Returns the record of a write; nil if nothing of it is recorded.
  public func write() -> WriteRecord? {
    guard isScope || !scopes.isEmpty || recorder.policy.records(.write) else { return nil }
    return WriteRecord(recorder, demand, scopes: scopes, activity: activity, metadata: metadata)
  }
}
