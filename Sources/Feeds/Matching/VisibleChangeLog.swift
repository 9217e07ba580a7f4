import GatehouseModel
public import GatehouseStorage
import Synchronization

/// The change log as those see it for whom there are rules: of each change what they could see at it, and may see now.
///
/// It has a reader of its own, and with it the index of the log that tells what objects were like: one for all who read it, since
/// that takes a look at the log from the first position that is asked for to its end. Who reads page by page finds it again; what
/// is known of objects besides is kept for the time of a page only.
public final class VisibleChangeLog: Sendable {
  private struct Shared {
    let reader: Reader
    var schema: Schema?
    var index = HistoryIndex()
    var lastUse: ContinuousClock.Instant
  }

  private let store: Store
  private let options: FeedOptions
  private let shared = Mutex<Shared?>(nil)

  /// How long the index is kept for whoever asks for the next page.
  private static let idleTime = Duration.seconds(60)

  init(_ store: Store, options: FeedOptions) {
    (self.store, self.options) = (store, options)
  }

  /// Returns changes of a class, nil: of all, from a position on, up to the version `last`: `limit`, more where the last one shows
  /// or hides other objects as well, and fewer where that is all that may be seen of those that were looked at. Nil: it takes a
  /// further call to find out what objects were like.
  ///
  /// Throws ``StorageError/positionExpired`` where the log has lost what comes next, or where a change shows or hides more
  /// objects than streams tell of.
  public func page(
    of objectType: String?, under rules: SubscriptionRules, from start: LogStart, through last: Int64,
    limit: Int
  ) throws(StorageError) -> ChangePage? {
    try shared.withLock { (shared) throws(StorageError) in
      var state = if let shared { shared } else { try open() }
      defer {
        state.lastUse = .now
        shared = state
      }
      return try state.reader.snapshot { (snapshot) throws(StorageError) -> ChangePage? in
        let schema = snapshot.schema
        if state.schema != schema { (state.schema, state.index) = (schema, HistoryIndex()) }
        let walker = try VisibleChangeWalker(
          of: objectType, under: rules, from: snapshot.position(of: start), index: state.index, options,
          in: snapshot)
        guard try walker.isPrepared(in: snapshot) else { return nil }
        return try walker.page(in: snapshot, through: last, limit: limit)
      }
    }
  }

  /// Gives the index back where nobody has asked for a while. Waits for nobody.
  public func expire() {
    _ = shared.withLockIfAvailable { shared in
      if let state = shared, .now - state.lastUse > VisibleChangeLog.idleTime { shared = nil }
    }
  }

  private func open() throws(StorageError) -> Shared {
    let reader = try store.makeReader()
    // SQLite has in a file what does not fit, of the index as well.
    try reader.snapshot { (snapshot) throws(StorageError) in
      try snapshot.limitPageCache(to: options.replayMemory.pages / 2)
    }
    return Shared(reader: reader, lastUse: .now)
  }
}

/// Walks through a page of the log, in the terms of the schema as it was.
private struct VisibleChangeWalker {
  /// The changes that are looked at before others have their turn.
  private static let portion = 1_000

  private let objectType: String?
  private let options: FeedOptions
  private let iterator: HistoryIterator
  private let past: ObjectStateCache
  private let dependencies: VisibilityDependencies

  init(
    of objectType: String?, under rules: SubscriptionRules, from position: LogPosition, index: HistoryIndex,
    _ options: FeedOptions, in snapshot: Snapshot
  ) throws(StorageError) {
    let schema = snapshot.schema
    do throws(SubscriptionError) {
      dependencies = try VisibilityDependencies(rules.visibility(in: schema), in: schema)
    } catch {
      throw .positionExpired
    }
    (self.objectType, self.options) = (objectType, options)
    past = ObjectStateCache(index, options.replayMemory)
    iterator = HistoryIterator(from: position, schema: schema, classes: nil, past: past)
  }

  /// Whether the index has what the page takes; takes in more of it where it has not.
  func isPrepared(in snapshot: Snapshot) throws(StorageError) -> Bool {
    try iterator.look(snapshot)
    let position = iterator.reached
    let layouts = iterator.layouts
    let linking = layouts.schema.objectTypes.compactMap { layouts[$0.name] }.filter(\.mayLink)
    if past.index.covers(position, linksOf: linking, in: snapshot) { return true }
    try past.index.extend(to: position, linksOf: linking, in: snapshot)
    return false
  }

  func page(in snapshot: Snapshot, through last: Int64, limit: Int) throws(StorageError) -> ChangePage {
    let now = CurrentVisibility(snapshot, iterator.layouts)
    var changes: [LoggedChange] = []
    for _ in 0..<VisibleChangeWalker.portion where changes.count < limit {
      guard let change = try iterator.peek(snapshot), change.position.version <= last else {
        return ChangePage(
          changes: changes, next: LogPosition(version: min(last, snapshot.version)), isLast: true)
      }
      changes += try pass(change, now: now, in: snapshot)
    }
    return ChangePage(changes: changes, next: iterator.reached, isLast: false)
  }

  /// Returns what may be seen of the next change.
  private func pass(
    _ change: LoggedChange, now: CurrentVisibility, in snapshot: Snapshot
  ) throws(StorageError) -> [LoggedChange] {
    guard change.operation != .schema, let layout = iterator.layouts[change.objectType] else {
      iterator.pass(change)
      // The schema as a whole is no concern of whoever is not shown all of it.
      return change.operation == .schema ? [change.seen(as: .schema, before: nil, after: nil)] : []
    }
    let applied = try iterator.apply(change, to: layout, in: snapshot)
    let after = HistoricalSnapshot(iterator, snapshot)
    let seen = Transition(
      Transition(change, applied, after: after), under: dependencies, now: now,
      limit: options.distantObjects)
    let changes = seen?.changes.compactMap { seen?.logged(as: $0, objectType) }
    if let failure = after.takeFailure() ?? now.failure { throw failure }
    guard let changes else { throw .positionExpired }
    return changes
  }
}

extension Transition {
  /// Returns what may be shown of a change, as the log has changes; nil: nothing, or it is of another class.
  fileprivate func logged(as change: AppliedChange, _ objectType: String?) -> LoggedChange? {
    if let objectType, change.identity.objectType != objectType { return nil }
    let (before, after) = shownStates(of: change.identity)
    // Tells of what is gone, and of what is there only where it may be seen now.
    guard change.operation == .delete || after != nil, let key = (change.after ?? change.before)?.key else {
      return nil
    }
    let properties = change.operation == .update ? change.changed : nil
    return logged.seen(
      as: change.operation, of: (change.identity.objectType, key, change.identity.id),
      before: change.operation == .insert ? nil : before.map { shown($0, properties) },
      after: change.operation == .delete ? nil : after.map { shown($0, properties) })
  }

  /// Returns the image of those properties, or of all that are not hidden.
  private func shown(_ state: ObjectState, _ properties: [Int]?) -> Mixed {
    let type = state.layout.objectType
    return .dictionary(
      (properties ?? Array(type.properties.indices)).compactMap { index in
        let property = type.properties[index]
        guard property.type.stored != nil, after.concealment?.hides(index, of: type.name) != true else {
          return nil
        }
        return Mixed.Entry(key: property.storedName, value: state.values[index])
      })
  }
}
