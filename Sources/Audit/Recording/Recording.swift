import BSON
import Model
public import Storage
import Synchronization

/// What of one request is recorded, and in which scopes.
public struct Recording: Sendable {
  /// How an answer found its objects.
  public enum Manner: Hashable, Sendable {
    /// They were asked for one by one.
    case objects
    /// They were found together.
    case query
  }

  private let recorder: Recorder
  private let scopes: [Scope]
  /// Whether the request is a scope by itself.
  private let isScope: Bool
  private let activity: String
  private let metadata: Metadata

  /// Nil where nothing of the request is to be recorded.
  ///
  /// - Parameters:
  ///   - ids: The scopes that it joins.
  ///   - owner: Whose they are.
  ///   - activity: What it does, if it is a scope by itself.
  ///   - name: What is recorded as its activity where nobody says.
  ///   - extra: Metadata of this request.
  ///
  /// Throws ``AuditError/scopeNotInProgress(_:)`` and ``AuditError/disabled``.
  public init?(
    _ recorder: Recorder, joining ids: [Int], of owner: String, activity: String?, named name: String,
    adding extra: Metadata
  ) async throws {
    let asks = activity != nil || !ids.isEmpty
    guard recorder.policy.isEnabled else {
      if asks { throw AuditError.disabled }
      return nil
    }
    guard asks || !recorder.policy.always.isEmpty else { return nil }
    self.recorder = recorder
    var scopes: [Scope] = []
    for id in ids where !scopes.contains(where: { $0.id == id }) {
      scopes.append(try recorder.scope(id, of: owner))
    }
    self.scopes = scopes
    isScope = activity != nil
    self.activity = activity ?? name
    metadata = recorder.metadata.adding(extra)
    if isScope || !recorder.policy.always.isEmpty { try await recorder.prepare(metadata) }
  }

  /// Whether answers have to tell what they have shown.
  public var recordsReads: Bool {
    isScope || !scopes.isEmpty || recorder.policy.records(.read)
  }

  /// Takes down what an answer has shown; returns when what is stored at once is durable.
  public func record(_ observation: Observation, as manner: Manner) async throws {
    let sights = observation.sights.filter { $0.object.objectType != StoredEvent.className }
    guard !sights.isEmpty else { return }
    let time = recorder.clock()
    let version = recorder.dataVersion(of: observation.version)
    for scope in scopes {
      try scope.record { try $0.add(sights, in: observation.schema, version: version, as: manner, at: time) }
    }
    let own = isScope ? sights : sights.filter { recorder.policy.records(.read, of: $0.object.objectType) }
    guard !own.isEmpty else { return }
    var trail = recorder.makeTrail()
    try trail.add(own, in: observation.schema, version: version, as: manner, at: time)
    try await recorder.store(trail, activity: activity, metadata: metadata)
  }

  /// What is to be stored with a write; nil: nothing of it is recorded.
  public func write() -> WriteRecord? {
    guard isScope || !scopes.isEmpty || recorder.policy.records(.write) else { return nil }
    return WriteRecord(recorder, scopes: scopes, isScope: isScope, activity: activity, metadata: metadata)
  }
}

/// What one transaction did, on its way into the scopes that it is part of.
public final class WriteRecord: Sendable {
  private let recorder: Recorder
  private let scopes: [Scope]
  private let isScope: Bool
  private let activity: String
  private let metadata: Metadata
  /// What scopes get when the transaction is durable.
  private let pending: Mutex<Trail>

  init(_ recorder: Recorder, scopes: [Scope], isScope: Bool, activity: String, metadata: Metadata) {
    self.recorder = recorder
    self.scopes = scopes
    self.isScope = isScope
    self.activity = activity
    self.metadata = metadata
    pending = Mutex(recorder.makeTrail())
  }

  /// What stores the event of the transaction with it. `continues` is for transactions that come piece by piece.
  public func sequel(continues: Bool = false) -> Sequel {
    recorder.sequel(needsObjects: true) { effects throws(StorageError) in
      // A transaction that failed beside another one is performed once more.
      if !continues { self.pending.withLock { $0 = self.recorder.makeTrail() } }
      return try self.events(effects)
    }
  }

  private func events(_ effects: Effects) throws(StorageError) -> [StoredEvent] {
    guard !effects.objects.isEmpty else { return [] }
    let time = recorder.clock()
    let writers = recorder.writers(for: effects.schema)
    var texts: [[UInt8]]?
    if isScope || !scopes.isEmpty {
      texts = WriteText(limit: recorder.options.largestText, writers: writers).texts(of: effects.objects)
    }
    if let texts, !scopes.isEmpty { try keep(texts, time) }
    let own = isScope ? texts ?? [] : policyTexts(effects, writers)
    return own.map { text in
      StoredEvent(
        timestamp: time, activity: activity, event: StoredEvent.Kind.write.rawValue,
        data: String(decoding: text, as: UTF8.self), metadata: metadata)
    }
  }

  private func policyTexts(_ effects: Effects, _ writers: [String: ObjectWriter]) -> [[UInt8]] {
    let objects = effects.objects.filter { recorder.policy.records(.write, of: $0.ownerType) }
    if objects.isEmpty { return [] }
    return WriteText(limit: recorder.options.largestText, writers: writers).texts(of: objects)
  }

  private func keep(_ texts: [[UInt8]], _ time: Date) throws(StorageError) {
    do {
      try pending.withLock { trail in for text in texts { try trail.add(write: text, at: time) } }
    } catch {
      throw error as? StorageError ?? .sequelFailed(StoredEvent.className)
    }
  }

  /// Gives the scopes what they have been waiting for: the transaction is durable.
  public func didCommit() {
    guard !scopes.isEmpty else { return }
    let trail = pending.withLock { $0 }
    for scope in scopes {
      do {
        for case .write(let start, let count, let time) in trail.happenings {
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
