import GatehouseModel
public import GatehouseStorage
import Synchronization

/// The change log as somebody sees it for whom there are rules: of each change what they could see at it, and may see now.
///
/// It has a reader of its own, and with it the index of the log that tells what objects were like.
public final class VisibleChangeLog: Sendable {
  private let walker: Mutex<VisibleChangeWalker>

  /// Has the changes of a class; nil: those of all.
  public init(_ store: Store, under rules: SubscriptionRules, objectType: String?) throws(StorageError) {
    walker = Mutex(VisibleChangeWalker(reader: try store.makeReader(), rules: rules, objectType: objectType))
  }

  /// Returns changes from a position on, up to the version `last`: `limit`, more where the last one shows or hides other
  /// objects as well, and fewer where that is all that may be seen of those that were looked at. Nil: it takes a further call to
  /// find out what objects were like.
  ///
  /// Throws ``StorageError/positionExpired`` where the log has lost what comes next, or where a change shows or hides more
  /// objects than streams tell of.
  public func page(from start: LogStart, through last: Int64, limit: Int) throws(StorageError) -> ChangePage?
  {
    try walker.withLock { (walker) throws(StorageError) in
      try walker.page(from: start, through: last, limit: limit)
    }
  }
}

/// Walks through the log from where the last page ended.
private struct VisibleChangeWalker {
  /// The place that was reached, in the terms of the schema as it was.
  private struct Iteration {
    let iterator: HistoryIterator
    let past: ObjectStateCache
    let dependencies: VisibilityDependencies
  }

  /// The changes that are looked at before others have their turn.
  private static let portion = 1_000

  private let reader: Reader
  private let rules: SubscriptionRules
  private let objectType: String?
  private let options = FeedOptions()
  private var current: Iteration?

  init(reader: Reader, rules: SubscriptionRules, objectType: String?) {
    (self.reader, self.rules, self.objectType) = (reader, rules, objectType)
  }

  mutating func page(from start: LogStart, through last: Int64, limit: Int) throws(StorageError)
    -> ChangePage?
  {
    try reader.snapshot { (snapshot) throws(StorageError) in
      let iteration = try iteration(from: snapshot.position(of: start), in: snapshot)
      try iteration.iterator.look(snapshot)
      let position = iteration.iterator.reached
      let layouts = iteration.iterator.layouts
      let linking = layouts.schema.objectTypes.compactMap { layouts[$0.name] }.filter(\.mayLink)
      guard iteration.past.index.covers(position, linksOf: linking, in: snapshot) else {
        try iteration.past.index.extend(to: position, linksOf: linking, in: snapshot)
        return nil
      }
      return try page(iteration, in: snapshot, through: last, limit: limit)
    }
  }

  private mutating func iteration(from position: LogPosition, in snapshot: Snapshot) throws(StorageError)
    -> Iteration
  {
    if let iteration = current, iteration.iterator.reached == position,
      iteration.iterator.layouts.schema == snapshot.schema
    {
      return iteration
    }
    let schema = snapshot.schema
    let dependencies: VisibilityDependencies
    do throws(SubscriptionError) {
      dependencies = try VisibilityDependencies(rules.visibility(in: schema), in: schema)
    } catch {
      throw .positionExpired
    }
    // SQLite has in a file what does not fit, of the index as well.
    if current == nil { try snapshot.limitPageCache(to: options.replayMemory.pages / 2) }
    let index = current?.iterator.layouts.schema == schema ? current?.past.index : nil
    let past = ObjectStateCache(index ?? HistoryIndex(), options.replayMemory)
    let iterator = HistoryIterator(from: position, schema: schema, classes: nil, past: past)
    let iteration = Iteration(iterator: iterator, past: past, dependencies: dependencies)
    current = iteration
    return iteration
  }

  private func page(
    _ iteration: Iteration, in snapshot: Snapshot, through last: Int64, limit: Int
  ) throws(StorageError) -> ChangePage {
    let now = CurrentVisibility(snapshot, iteration.iterator.layouts)
    var changes: [LoggedChange] = []
    for _ in 0..<VisibleChangeWalker.portion where changes.count < limit {
      guard let change = try iteration.iterator.peek(snapshot), change.position.version <= last else {
        return ChangePage(
          changes: changes, next: LogPosition(version: min(last, snapshot.version)), isLast: true)
      }
      changes += try pass(change, of: iteration, now: now, in: snapshot)
    }
    return ChangePage(changes: changes, next: iteration.iterator.reached, isLast: false)
  }

  /// Returns what may be seen of the next change.
  private func pass(
    _ change: LoggedChange, of iteration: Iteration, now: CurrentVisibility, in snapshot: Snapshot
  ) throws(StorageError) -> [LoggedChange] {
    guard change.operation != .schema, let layout = iteration.iterator.layouts[change.objectType] else {
      iteration.iterator.pass(change)
      // The schema as a whole is no concern of whoever is not shown all of it.
      return change.operation == .schema ? [change.seen(as: .schema, before: nil, after: nil)] : []
    }
    let identity = Identity(objectType: change.objectType, id: change.id)
    let before: ObjectState? =
      switch change.operation {
      case .insert, .schema: nil
      case .delete: ObjectState(layout, id: change.id, key: change.key, image: change.before)
      case .update: try iteration.iterator.object(identity, snapshot)
      }
    let applied = AppliedChange(change, layout, before: before)
    iteration.iterator.pass(change)
    let after = HistoricalSnapshot(iteration.iterator, snapshot)
    let seen = Transition(
      Transition(change, applied, after: after), under: iteration.dependencies, now: now,
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
