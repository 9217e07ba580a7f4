public import GatehouseBSON
import GatehouseModel
public import GatehouseStorage

/// Reads the change log from a position on, for whoever does something about each change: with the object as it was before the change
/// and after it, as event streams that come back tell it. It takes as much memory as one of these, however much lies ahead.
///
/// Its owner calls it from one thread at a time.
public final class ChangeReader {
  /// A change of an object that was watched, or is from then on.
  public struct Change: Sendable {
    public let position: LogPosition
    public let time: Date
    public let operation: LoggedChange.Operation
    /// Whether an update gave the whole object another state.
    public let isReplacement: Bool
    public let objectType: String
    /// The primary key, or the object key of a class without.
    public let id: Value
    /// The properties that an update changed, by name.
    public let changed: [String]
    /// All stored properties by name, links as what identifies the objects; nil: there was no object.
    public let before: Document?
    public let after: Document?
  }

  private let subscription: Subscription
  private let reader: Reader
  private var iterator: HistoryIterator
  private let states: ObjectStateCache
  private var filter: Filter

  /// Reads behind `position` what the subscription watches: a class, with a filter that looks at nothing but the object itself. Throws
  /// ``SubscriptionError``, ``SubscriptionError/clauses`` where it looks further, and ``GatehouseStorage/StorageError``.
  public init(_ store: Store, _ subscription: Subscription, after position: LogPosition) throws {
    self.subscription = subscription
    reader = try store.makeReader()
    let schema = store.schema
    filter = try ChangeReader.filter(of: subscription, in: schema)
    states = ObjectStateCache(HistoryIndex(), ReplayMemory())
    iterator = HistoryIterator(
      from: position, schema: schema, classes: Set(subscription.scope.objectType.map { [$0] } ?? []),
      past: states)
  }

  /// Everything up to here has been read.
  public var position: LogPosition { iterator.reached }

  /// Reads at most `limit` changes of those objects, and looks at no more than some thousands of others; empty and `isLast`: there are
  /// no more now. Throws ``GatehouseStorage/StorageError/positionExpired`` where the log has lost what comes next.
  public func next(limit: Int) throws -> (changes: [Change], isLast: Bool) {
    try reader.snapshot {
      (snapshot) throws(StorageError) -> Result<(changes: [Change], isLast: Bool), any Error> in
      if snapshot.schema != iterator.layouts.schema {
        do { filter = try ChangeReader.filter(of: subscription, in: snapshot.schema) } catch {
          return .failure(error)
        }
      }
      try iterator.look(snapshot)
      // Where the log has lost what comes next, an index of it would never be whole.
      guard try iterator.peek(snapshot) != nil else { return .success(([], true)) }
      while !states.index.covers(iterator.reached, linksOf: [], in: snapshot) {
        try states.index.extend(to: iterator.reached, linksOf: [], in: snapshot)
      }
      var (changes, size) = ([Change](), 0)
      for _ in 0..<ChangeReader.portion {
        guard changes.count < limit, size < ChangeReader.pieceSize else { return .success((changes, false)) }
        guard let change = try iterator.peek(snapshot) else { return .success((changes, true)) }
        if let (told, bytes) = try read(change, snapshot) {
          changes.append(told)
          size += bytes
        }
      }
      return .success((changes, false))
    }.get()
  }

  /// The changes that are looked at in one snapshot.
  private static let portion = 4_096
  /// The bytes of objects after which no more changes are read in one go.
  private static let pieceSize = 4 << 20

  private static func filter(of subscription: Subscription, in schema: Schema) throws(SubscriptionError)
    -> Filter
  {
    guard case .objects(let filter) = try subscription.bound(in: schema).target, filter.matching.isEmpty
    else {
      throw .clauses
    }
    return filter
  }

  /// Passes a change, and returns it with the bytes of its objects, about; nil: it is none of those that are watched.
  private func read(
    _ change: LoggedChange, _ snapshot: Snapshot
  ) throws(StorageError) -> (change: Change, size: Int)? {
    guard change.operation != .schema, change.objectType == filter.objectType,
      let layout = iterator.layouts[change.objectType]
    else {
      iterator.pass(change)
      return nil
    }
    let applied = try iterator.apply(change, to: layout, in: snapshot)
    let history = HistoricalSnapshot(iterator, snapshot)
    let isWatched = filter.matches(applied.after ?? applied.before, in: history)
    if let failure = history.takeFailure() { throw failure }
    guard isWatched else { return nil }
    let told = Change(
      position: change.position, time: change.time, operation: change.operation,
      isReplacement: change.isReplacement, objectType: change.objectType,
      id: change.id.value { _ in .null },
      changed: layout.names(of: applied.changed, from: applied.before, to: applied.after),
      before: document(of: applied.before, history), after: document(of: applied.after, history))
    return (told, (applied.before?.memorySize ?? 0) + (applied.after?.memorySize ?? 0))
  }

  private func document(of state: ObjectState?, _ history: HistoricalSnapshot) -> Document? {
    guard let state else { return nil }
    var builder = ValueBuilder()
    ObjectEncoder(history: history).write(state, showing: nil, to: &builder)
    guard case .document(let document) = builder.finish() else { return nil }
    return document
  }
}
