import GatehouseBSON
import GatehouseModel
import GatehouseStorage

extension Recorder {
  /// Bytes that an event takes on its way into the store, beside its text, about.
  static let eventSize = 1024

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
    transaction.hook = hook(needsObjects: false) { _ in events }
    noteTrailOnly(try await store.perform(transaction).version)
  }

  /// Returns a hook that stores, in the same commit, the events that `events` makes of a transaction's changes.
  func hook(
    needsObjects: Bool, _ events: @escaping @Sendable (ChangeSet) throws(StorageError) -> [StoredEvent]
  ) -> CommitHook {
    CommitHook(needsObjects: needsObjects) { changeSet throws(StorageError) in
      let events = try events(changeSet)
      if events.isEmpty { return [] }
      guard let trail = self.auditSchema(of: changeSet.schema).trail,
        events.allSatisfy({ trail.holds($0.metadata) })
      else { throw .commitHookFailed(StoredEvent.className) }
      var chain = Chain.origin
      if case .string(let last)? = try changeSet.last(StoredEvent.className, "chain") { chain = last }
      var operations: [GatehouseStorage.Operation] = []
      operations.reserveCapacity(events.count)
      for event in events {
        let next = event.creation(id: self.makeID(), after: chain, in: trail)
        operations.append(next.operation)
        chain = next.chain
      }
      return operations
    }
  }

  func makeTrail() -> Trail {
    Trail { [store] in try store.makeSpool(for: nil) }
  }
}
