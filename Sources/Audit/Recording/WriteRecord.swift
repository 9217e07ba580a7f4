import GatehouseBSON
import GatehouseModel
public import GatehouseStorage
import Synchronization

/// One transaction's record, from its start until it is in the scopes and events that it belongs to.
public final class WriteRecord: Sendable {
  private let recorder: Recorder
  private let demand: Recording.Demand
  private let scopes: [Scope]
  private let activity: String
  private let metadata: Metadata
  /// The occurrences that scopes get when the transaction is durable; nil if no scope waits for them.
  private let pending: Mutex<Trail?>
  /// The bytes that the transaction has recorded on demand, in scopes and in events.
  private let demanded = Mutex(0)
  private let representations = Mutex(Representations())
  /// The objects whose representations were missing when the transaction was performed last.
  private let missing = Mutex<(subjects: Set<Representations.Subject>, schema: Schema)?>(nil)

  /// So often a transaction is performed in which ever other objects are to be represented.
  private static let attempts = 8

  init(
    _ recorder: Recorder, _ demand: Recording.Demand, scopes: [Scope], activity: String, metadata: Metadata
  ) {
    self.recorder = recorder
    self.demand = demand
    self.scopes = scopes
    self.activity = activity
    self.metadata = metadata
    pending = Mutex(scopes.isEmpty ? nil : recorder.makeTrail())
  }

  /// Performs the transaction, which has the ``hook(continues:)`` of this.
  ///
  /// Where functions say what is recorded of objects, these have to be asked before the transaction is done, and it is
  /// known only then what the objects are: it is given up, and performed once more with the answers.
  /// One that comes piece by piece cannot be repeated, and fails.
  public func commit<Answer>(
    canRepeat: Bool = true, _ perform: () async throws -> Answer
  ) async throws -> Answer {
    var attempts = canRepeat ? WriteRecord.attempts : 1
    while true {
      do {
        let answer = try await perform()
        didCommit()
        return answer
      } catch {
        guard let (subjects, schema) = takeMissing(), let first = subjects.first else { throw error }
        attempts -= 1
        guard attempts > 0 else { throw AuditError.notRepresented(objectType: first.objectType) }
        var known = representations.withLock { $0 }
        try await recorder.represent(subjects, in: schema, &known)
        representations.withLock { [known] in $0 = known }
      }
    }
  }

  private func takeMissing() -> (subjects: Set<Representations.Subject>, schema: Schema)? {
    missing.withLock { missing in
      defer { missing = nil }
      return missing
    }
  }

  /// Returns the representations of the changed objects. Throws where some are missing, and notes them in
  /// ``missing``.
  private func representations(
    of changeSet: ChangeSet, _ auditSchema: AuditSchema
  ) throws(StorageError) -> Representations {
    if auditSchema.represented.isEmpty { return Representations() }
    let known = representations.withLock { $0 }
    var subjects: Set<Representations.Subject> = []
    for object in changeSet.objects where auditSchema.represented.contains(object.objectType) {
      for case let image? in [object.before, object.after] {
        subjects.insert(Representations.Subject(objectType: object.objectType, image: image))
      }
    }
    subjects = subjects.filter { known[$0] == nil }
    guard subjects.isEmpty else {
      missing.withLock { $0 = (subjects, changeSet.schema) }
      throw .commitHookFailed(StoredEvent.className)
    }
    return known
  }

  /// Returns the hook that stores the transaction's event in the same commit. `continues` is for transactions that
  /// come piece by piece.
  public func hook(continues: Bool = false) -> CommitHook {
    recorder.hook(needsObjects: true) { changeSet throws(StorageError) in
      // A transaction that failed beside another one is performed once more.
      if !continues, !self.scopes.isEmpty { self.pending.withLock { $0 = self.recorder.makeTrail() } }
      if !continues { self.demanded.withLock { $0 = 0 } }
      return try self.events(changeSet)
    }
  }

  private func events(_ changeSet: ChangeSet) throws(StorageError) -> [StoredEvent] {
    guard !changeSet.objects.isEmpty else { return [] }
    let time = recorder.clock()
    let auditSchema = recorder.auditSchema(of: changeSet.schema)
    let writer = WriteText(
      limit: recorder.options.largestText, writers: auditSchema.writers,
      representations: try representations(of: changeSet, auditSchema))
    var texts: [[UInt8]]?
    if !demand.isEmpty {
      texts = writer.texts(of: changeSet.objects)
    }
    if let texts {
      let bytes = texts.reduce(0) { $0 + $1.count + Recorder.eventSize }
      let copies = scopes.count + (demand.activity == nil ? 0 : 1)
      demanded.withLock { $0 += bytes * copies }
      if !scopes.isEmpty { try keep(texts, time) }
    }
    let own = demand.activity != nil ? texts ?? [] : policyTexts(changeSet, writer)
    return own.map { text in
      StoredEvent(
        timestamp: time, activity: activity, event: StoredEvent.Kind.write.rawValue,
        data: String(decoding: text, as: UTF8.self), metadata: metadata)
    }
  }

  private func policyTexts(_ changeSet: ChangeSet, _ writer: WriteText) -> [[UInt8]] {
    writer.texts(of: changeSet.objects) { recorder.policy.records(.write, of: $0.ownerType) }
  }

  private func keep(_ texts: [[UInt8]], _ time: Date) throws(StorageError) {
    do {
      try pending.withLock { trail in
        precondition(trail != nil, "what scopes wait for is kept until the transaction is durable")
        for text in texts { try trail?.add(write: text, at: time) }
      }
    } catch {
      throw error as? StorageError ?? .commitHookFailed(StoredEvent.className)
    }
  }

  /// Gives the scopes what they have been waiting for: the transaction is durable.
  private func didCommit() {
    recorder.count(demanded.withLock { $0 }, recordedFor: demand.account)
    guard let trail = pending.withLock({ $0 }) else { return }
    for scope in scopes {
      do {
        for case .write(let start, let count, let time) in trail.occurrences {
          let text = try trail.bytes(start, count)
          try scope.record { try $0.add(write: text, at: time) }
        }
      } catch {
        // The write is done, and its client is told so.
        recorder.didLose(scope)
      }
    }
  }
}
