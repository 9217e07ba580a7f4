import GatehouseModel
import GatehouseStorage

/// Iterates over the change log, and knows what every object was like at the position that it has reached.
///
/// The file has objects as they are now, the log what each change replaced. So what an object was like at the
/// position is what the file has, with the first value that a later change replaced put back:
///
///     reached                     seen = the snapshot
///     ───┼──────── changes ─────────┼──▶
///        └── `later`: what these replaced
///
/// Invariant 1: an object has an entry in `later` exactly while changes of it lie between `reached` and `seen`.
final class HistoryIterator {
  /// The difference of an object from the file, as its later changes tell it.
  struct Later {
    /// How many changes of it lie ahead.
    fileprivate(set) var changes = 0
    fileprivate(set) var difference = Difference.values([:])

    mutating func add(_ change: LoggedChange, _ layout: ClassLayout) {
      if changes == 0 {
        difference = Difference(before: change, layout)
      } else {
        difference.add(change, layout)
      }
      changes += 1
    }

    /// Whether further changes make no difference.
    func isFixed(_ layout: ClassLayout) -> Bool {
      switch difference {
      case .absent, .whole: true
      case .values(let values): values.count == layout.storedCount && values.values.allSatisfy(\.isFixed)
      }
    }
  }

  /// How an object differs from what the file has.
  enum Difference {
    /// It is not there.
    case absent
    /// It is there in the file too, with other values of these properties.
    case values([Int: HistoricalValue])
    /// It is all of this, whatever the file has.
    case whole(ObjectState)
  }

  private(set) var reached: LogPosition
  private var seen: LogPosition
  private var later: [Identity: Later] = [:]
  private var pastLinks = ReplacedLinks()
  /// From `next` on, all changes between `reached` and `buffered`.
  private var buffer: [LoggedChange] = []
  /// The bytes that the changes of the buffer take, about, where somebody counts them.
  private(set) var bufferSize = 0
  private var next = 0
  private var buffered: LogPosition
  private(set) var layouts: ClassLayouts
  /// The classes whose objects are asked for; nil: all.
  var classes: Set<String>?
  /// Knows what objects were like for an iterator that does not look ahead, which takes no more memory however much lies
  /// there; nil: `later` does.
  let past: ObjectStateCache?

  /// The changes that an iterator which looks ahead reads in one go, and the bytes of their images.
  private let pageSize: Int
  private static let pageBytes = 4 << 20

  /// Begins behind a position.
  init(
    from start: LogPosition, schema: Schema, classes: Set<String>?, past: ObjectStateCache? = nil,
    pageSize: Int = 1_000
  ) {
    self.past = past
    self.pageSize = pageSize
    reached = start
    seen = start
    buffered = start
    layouts = ClassLayouts(schema)
    self.classes = classes
  }

  /// Stands at the end of the snapshot: objects are what the file has.
  init(at snapshot: Snapshot, _ layouts: ClassLayouts) {
    let end = LogPosition(version: snapshot.version)
    (reached, seen, buffered) = (end, end, end)
    self.layouts = layouts
    classes = []
    past = nil
    pageSize = 1
  }

  /// Whether it has passed all that it has looked at: only there may more be asked of it.
  var isCaughtUp: Bool { reached == seen }

  /// Looks ahead to the end of the snapshot. Throws ``StorageError/positionExpired`` where the log has lost what
  /// comes next.
  func look(_ snapshot: Snapshot) throws(StorageError) {
    if snapshot.schema != layouts.schema { forget(snapshot.schema) }
    if past != nil {
      seen = max(seen, LogPosition(version: snapshot.version))
      return
    }
    while true {
      snapshot.restartTime()
      let page = try snapshot.changes(after: seen, through: snapshot.version, limit: pageSize)
      for change in page.changes { note(change) }
      if buffered == seen, buffer.count - next < pageSize {
        buffer += page.changes
        buffered = page.next
      }
      seen = page.next
      if page.isLast { return checkPositions() }
    }
  }

  private func checkPositions() {
    precondition(
      reached <= buffered && buffered <= seen, "what is buffered lies between `reached` and `seen`")
  }

  /// The next change that lies ahead; nil: the iterator has reached the snapshot.
  func peek(_ snapshot: Snapshot) throws(StorageError) -> LoggedChange? {
    if next < buffer.count { return buffer[next] }
    // Changes that are gone with their class leave pages empty.
    while buffered != seen, buffer.isEmpty {
      let page = try snapshot.changes(
        after: buffered, through: seen.version, limit: past?.page.count ?? pageSize,
        size: past?.page.bytes ?? HistoryIterator.pageBytes)
      buffer = page.changes
      if past != nil { bufferSize = buffer.reduce(0) { $0 + $1.memorySize } }
      buffered = page.isLast ? seen : page.next
      checkPositions()
    }
    if buffer.isEmpty {
      precondition(
        later.isEmpty && pastLinks.isEmpty, "an object has later changes only between `reached` and `seen`")
      reached = seen
    }
    return buffer.first
  }

  /// Goes behind the change that ``peek(_:)`` gave.
  func pass(_ change: LoggedChange) {
    precondition(change.position > reached, "changes are passed in the order of the log, each once")
    precondition(
      next < buffer.count && buffer[next].position == change.position && change.position <= seen,
      "the change that is passed is the one that was looked at")
    next += 1
    reached = change.position
    if next == buffer.count {
      buffer.removeAll(keepingCapacity: past == nil)
      (next, bufferSize) = (0, 0)
    }
    guard isRelevant(change), let layout = layouts[change.objectType] else { return }
    let identity = Identity(objectType: change.objectType, id: change.id)
    if let past { return past.pass(change, of: identity, layout) }
    guard let index = later.index(forKey: identity) else { return }
    if later.values[index].changes == 1 {
      later.remove(at: index)
      return pastLinks.remove(identity)
    }
    precondition(later.values[index].changes > 1, "an object that is known has changes ahead")
    later.values[index].changes -= 1
    later.values[index].difference.pass(change, layout)
  }

  /// The object at the position that the iterator has reached; nil where there was none.
  func object(_ identity: Identity, _ snapshot: Snapshot) throws(StorageError) -> ObjectState? {
    guard var state = try rawObject(identity, snapshot) else { return nil }
    try orderSets(of: &state, snapshot)
    return state
  }

  /// Brings the sets of links of an object at that position into the order in which a read has them.
  func orderSets(of state: inout ObjectState, _ snapshot: Snapshot) throws(StorageError) {
    if state.unordered.isEmpty { return }
    try state.orderSets { (value, element) throws(StorageError) -> Mixed in
      let identity: Identity? =
        if case .object(let name) = element { Identity(objectType: name, id: value) } else { value.reference }
      guard value != .null, let identity else { return value }
      // The file knows the key of an object that is not there yet.
      var key = try rawKey(identity, snapshot)
      if key == nil { key = try snapshot.key(identity.objectType, id: identity.id) }
      return .link(ObjectLink(objectType: identity.objectType, key: key ?? ObjectKey(.max)))
    }
  }

  private func rawKey(_ identity: Identity, _ snapshot: Snapshot) throws(StorageError) -> ObjectKey? {
    if past == nil {
      switch later[identity]?.difference {
      case .absent: return nil
      case .whole(let state): return state.key
      case .values, nil: return try snapshot.key(identity.objectType, id: identity.id)
      }
    }
    return try rawObject(identity, snapshot)?.key
  }

  private func rawObject(_ identity: Identity, _ snapshot: Snapshot) throws(StorageError) -> ObjectState? {
    guard let layout = layouts[identity.objectType] else { return nil }
    if let past {
      return try past.object(identity, layout, at: reached, in: snapshot) { values throws(StorageError) in
        try stored(identity, layout, in: snapshot, applying: values)
      }
    }
    switch later[identity]?.difference {
    case .absent: return nil
    case .whole(let state): return state
    case .values(let values):
      guard let state = try stored(identity, layout, in: snapshot, applying: values) else { return nil }
      // The next time it need not be worked out from all the changes that lie ahead.
      if values.values.contains(where: \.isLong) {
        var settled = state
        try orderSets(of: &settled, snapshot)
        later[identity]?.difference.settle(settled)
        return settled
      }
      return state
    case nil: return try stored(identity, layout, in: snapshot, applying: [:])
    }
  }

  /// Whether the object is known to be as in the file.
  func isCurrent(_ identity: Identity) -> Bool { past == nil && later[identity] == nil }

  /// The objects of a class that may have had such a link at the iterator's position, though not in the file.
  func objects(
    _ objectType: String, linkingBy property: Int, to target: Mixed
  ) throws(StorageError) -> [Identity] {
    guard let past else { return pastLinks.owners(of: property, objectType, to: target) }
    guard let layout = layouts[objectType] else { return [] }
    return try past.index.owners(of: property, layout, to: target, at: reached)
  }

  /// The objects of a class whose `property` had other embedded objects at the iterator's position than the file has.
  func objects(_ objectType: String, differingIn property: Int) throws(StorageError) -> [Identity] {
    guard let past else { return pastLinks.owners(differingIn: property, objectType) }
    guard let layout = layouts[objectType] else { return [] }
    return try past.index.objects(differingIn: property, layout, at: reached)
  }

  private func stored(
    _ identity: Identity, _ layout: ClassLayout, in snapshot: Snapshot,
    applying values: [Int: HistoricalValue]
  ) throws(StorageError) -> ObjectState? {
    guard let found = try snapshot.object(identity.objectType, id: identity.id) else { return nil }
    var state = ObjectState(layout, id: identity.id, key: found.key, image: found.image)
    state.apply(values)
    return state
  }

  private func isRelevant(_ change: LoggedChange) -> Bool {
    classes?.contains(change.objectType) ?? true
  }

  /// Remembers what a change replaced, unless an earlier one has.
  private func note(_ change: LoggedChange) {
    guard change.operation != .schema, isRelevant(change), let layout = layouts[change.objectType]
    else { return }
    let identity = Identity(objectType: change.objectType, id: change.id)
    pastLinks.note(change, of: identity, layout)
    later[identity, default: Later()].add(change, layout)
  }

  /// Begins anew with another schema: properties are in other places.
  private func forget(_ schema: Schema) {
    layouts = ClassLayouts(schema)
    later = [:]
    pastLinks = ReplacedLinks()
    buffer = []
    (next, bufferSize) = (0, 0)
    seen = reached
    buffered = reached
  }
}

extension HistoryIterator.Difference {
  /// Makes the difference of an object whose first change ahead is this one.
  fileprivate init(before change: LoggedChange, _ layout: ClassLayout) {
    switch change.operation {
    case .insert, .schema: self = .absent
    case .delete: self = .whole(ObjectState(layout, id: change.id, key: change.key, image: change.before))
    case .update:
      self = .values([:])
      add(change, layout)
    }
  }

  /// Another change of the object lies ahead.
  fileprivate mutating func add(_ change: LoggedChange, _ layout: ClassLayout) {
    guard case .values(var values) = self else { return }
    // The values must not be shared while they change: they would be copied, with all changes that lie ahead.
    self = .absent
    switch change.operation {
    // The file has another object by now, or will have none.
    case .delete:
      var state = ObjectState(layout, id: change.id, key: change.key, image: change.before)
      state.apply(values)
      self = .whole(state)
    case .update:
      layout.forEachProperty(of: change.before) { property, value in
        values[property, default: HistoricalValue(value)].add(before: value)
      }
      for collection in change.elements {
        guard let property = layout.property(storedAs: collection.property, hint: 0) else { continue }
        if values[property] == nil {
          values[property] = HistoricalValue(before: collection)
        } else {
          values[property]?.add(collection)
        }
      }
      self = .values(values)
    case .insert, .schema: self = .values(values)
    }
  }

  /// Takes over the properties as they are known to have been at the iterator's position.
  fileprivate mutating func settle(_ state: ObjectState) {
    guard case .values(var values) = self else { return }
    self = .absent
    for property in values.keys { values[property] = HistoricalValue(state.values[property]) }
    self = .values(values)
  }

  /// The iterator passes a change of the object.
  fileprivate mutating func pass(_ change: LoggedChange, _ layout: ClassLayout) {
    switch change.operation {
    case .insert: self = .whole(ObjectState(layout, id: change.id, key: change.key, image: change.after))
    case .delete: self = .absent
    case .update: passUpdate(change, layout)
    case .schema: break
    }
  }

  private mutating func passUpdate(_ change: LoggedChange, _ layout: ClassLayout) {
    switch self {
    case .absent: break
    case .values(var values):
      self = .absent
      layout.forEachProperty(of: change.after) { values[$0] = HistoricalValue($1) }
      for collection in change.elements {
        guard let property = layout.property(storedAs: collection.property, hint: 0) else { continue }
        values[property]?.pass(collection)
        if values[property]?.isCurrent == true { values[property] = nil }
      }
      self = .values(values)
    case .whole(var state):
      self = .absent
      state.redo(change)
      self = .whole(state)
    }
  }
}
