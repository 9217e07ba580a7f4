import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Iterates over the log and writes what those who watch are to be told.
final class EventProducer {
  private let iterator: HistoryIterator
  private var index = FilterIndex()
  private var nodes: [Filter: FilterNode] = [:]
  private var memberships: [Int: FilterNode] = [:]
  private var propertyIndex = PropertyWatchIndex()
  private var propertyNodes: [PropertyWatch: PropertyWatchNode] = [:]
  private var propertyMemberships: [Int: PropertyWatchNode] = [:]
  /// Groups that have frames, or touched objects.
  private(set) var changedGroups: [SubscriberGroup] = []
  private(set) var schema: Schema
  /// Events up to here have been told already, though the iterator begins before them.
  private let start: EventPosition?
  /// Objects that one change may concern through links.
  private let limit: Int
  /// The objects as they were, where the past is told: row filters show only those that may be seen now. Nil: it follows
  /// the end of the log.
  let past: ObjectStateCache?
  /// Whether it takes more to know what a change means than the changed object.
  private var looksElsewhere = false
  private var count = 0
  /// In the snapshot that is walked through, if somebody asked.
  private var visibility: CurrentVisibility?
  /// Why an iterator of the past, which is somebody's alone, cannot go on.
  private var failure: StorageError?
  /// The filters for which a change took too long.
  private var suspended: [FilterNode] = []
  private var suspendedProperties: [PropertyWatchNode] = []
  /// The bytes of the frames that have not been taken.
  private var size = 0
  /// Called when there are frames enough to take in the midst of a change; then nothing is told of its end yet.
  var didFill: (() -> Void)?

  /// Bytes of frames after which they had better be taken.
  private static let pieceSize = 256 << 10

  /// Begins behind a position.
  init(from start: EventPosition, schema: Schema, limit: Int, past: ObjectStateCache? = nil) {
    self.limit = limit
    self.past = past
    iterator = HistoryIterator(from: start.logged, schema: schema, classes: [], past: past)
    self.start = start.part == nil ? nil : start
    self.schema = schema
  }

  /// The bytes that an iterator of the past holds of changes and objects, about.
  var memorySize: Int { iterator.bufferSize + (past?.size ?? 0) }

  /// Everything up to here has been told.
  var reached: LogPosition { iterator.reached }

  /// Lets a group watch from where the iterator is, which must be the end of what it has seen.
  func add(_ group: SubscriberGroup, _ bound: BoundSubscription) {
    switch bound.target {
    case .objects(let filter):
      let node = nodes[filter] ?? FilterNode(filter)
      if node.groups.isEmpty {
        nodes[filter] = node
        index.add(node, in: schema)
      }
      node.groups.append(group)
      memberships[group.number] = node
    case .property(let watch):
      let node = propertyNodes[watch] ?? PropertyWatchNode(watch)
      if node.groups.isEmpty {
        propertyNodes[watch] = node
        propertyIndex.add(node)
      }
      node.groups.append(group)
      propertyMemberships[group.number] = node
    }
    looksElsewhere = looksElsewhere || bound.looksElsewhere(iterator.layouts)
    if let types = bound.visitedTypes { iterator.classes?.formUnion(types) } else { iterator.classes = nil }
  }

  /// Ends the watch of a group.
  func remove(_ group: SubscriberGroup) {
    if let node = memberships.removeValue(forKey: group.number) {
      node.groups.removeAll { $0 === group }
      guard node.groups.isEmpty else { return }
      nodes[node.filter] = nil
      index.remove(node, in: schema)
    } else if let node = propertyMemberships.removeValue(forKey: group.number) {
      node.groups.removeAll { $0 === group }
      guard node.groups.isEmpty else { return }
      propertyNodes[node.watch] = nil
      propertyIndex.remove(node)
    }
  }

  /// Forgets all groups: they are to be added again, in the terms of another schema.
  func removeAll(schema: Schema) {
    resume()
    index = FilterIndex()
    nodes = [:]
    memberships = [:]
    propertyIndex = PropertyWatchIndex()
    propertyNodes = [:]
    propertyMemberships = [:]
    self.schema = schema
  }

  /// Takes what was told.
  func takeChangedGroups() -> [SubscriberGroup] {
    defer { (changedGroups, size) = ([], 0) }
    return changedGroups
  }

  /// Looks at the log up to the snapshot.
  func look(_ snapshot: Snapshot) throws(StorageError) {
    try iterator.look(snapshot)
  }

  /// Passes at most `limit` changes, or until there are frames enough to take; false when there are no more changes.
  func advance(_ snapshot: Snapshot, limit: Int) throws(StorageError) -> Bool {
    for _ in 0..<limit {
      guard let change = try iterator.peek(snapshot) else {
        resume()
        return false
      }
      advance(past: change, snapshot)
      if size >= EventProducer.pieceSize { break }
    }
    return true
  }

  /// Takes the number of changes that an iterator of the past has passed.
  func takeCount() -> Int {
    defer { count = 0 }
    return count
  }

  /// Why an iterator of the past came to rest.
  enum Pause {
    /// It passed as many changes, or wrote as many bytes, as it was to.
    case limit
    /// There are no more changes.
    case end
    /// The next change takes what is not in the index.
    case unindexed
  }

  /// Goes through the past up to a position, until it has passed `limit` changes or a group has frames of `size` bytes.
  func replay(
    _ snapshot: Snapshot, through last: LogPosition, limit: Int, size: Int
  ) throws(StorageError) -> Pause {
    // Each snapshot is asked anew which objects may be seen now.
    defer { visibility = nil }
    let isIndexed = past?.index.covers(reached, linksOf: linkLayouts, in: snapshot) ?? true
    for _ in 0..<limit {
      guard let change = try iterator.peek(snapshot), change.position <= last else { return .end }
      if !isIndexed, needsIndex(change) { return .unindexed }
      advance(past: change, snapshot)
      if let failure { throw failure }
      count += 1
      if changedGroups.contains(where: { $0.encoded.bytes.count >= size }) { return .limit }
    }
    return .limit
  }

  /// Takes in more of what an iterator of the past needs; true: that was all.
  func extendIndex(_ snapshot: Snapshot) throws(StorageError) -> Bool {
    guard let past else { return true }
    let layouts = linkLayouts
    try past.index.extend(to: reached, linksOf: layouts, in: snapshot)
    return past.index.covers(reached, linksOf: layouts, in: snapshot)
  }

  /// The classes of which it may be asked which objects had links.
  private var linkLayouts: [ClassLayout] {
    guard looksElsewhere, let classes = iterator.classes else { return [] }
    return classes.sorted().compactMap { iterator.layouts[$0] }.filter(\.mayLink)
  }

  /// An object that is new, or gone, is in the log with all that it has.
  private func needsIndex(_ change: LoggedChange) -> Bool {
    guard index.watches(change.objectType) || propertyIndex.watches(change.objectType) else { return false }
    return looksElsewhere || change.operation == .update
  }

  /// The frame with all that the group's place has, where the iterator is; nil: it watches none.
  func initial(of group: SubscriberGroup, _ snapshot: Snapshot) throws(StorageError) -> EncodedEvents? {
    guard let watch = propertyMemberships[group.number]?.watch else { return nil }
    let history = HistoricalSnapshot(iterator, snapshot)
    let writer = PropertyEventWriter(history: history, watch: watch, shape: group.shape)
    let view = watch.view(history)
    var encoded = EncodedEvents()
    writer.append(view, at: EventStamp(stateAt: reached), to: &encoded.bytes)
    if group.subscription.recordsReads {
      encoded.shown = writer.observations(of: .insert, showing: view, in: reached.version)
    }
    if let failure = history.failure { throw failure }
    return encoded
  }

  private func advance(past change: LoggedChange, _ snapshot: Snapshot) {
    guard change.operation != .schema else {
      let writer = EventWriter(history: HistoricalSnapshot(iterator, snapshot))
      for group in index.everything.flatMap(\.groups) {
        note(group)
        writer.append(schema: change, to: &group.encoded.bytes)
      }
      return iterator.pass(change)
    }
    let name = change.objectType
    for group in index.queriedGroups(name) {
      note(group)
      group.isTouchedAnywhere = true
    }
    guard index.watches(name) || propertyIndex.watches(name), let layout = iterator.layouts[name] else {
      return iterator.pass(change)
    }
    let identity = Identity(objectType: name, id: change.id)
    let applied: AppliedChange
    do throws(StorageError) {
      applied = AppliedChange(change, layout, before: try before(change, of: identity, layout, in: snapshot))
    } catch {
      iterator.pass(change)
      if past != nil {
        failure = error
        return
      }
      return resync(
        index.groups(watching: name) + propertyIndex.groups(watching: name), at: change.position)
    }
    publish(applied, snapshot)
  }

  private func before(
    _ change: LoggedChange, of identity: Identity, _ layout: ClassLayout, in snapshot: Snapshot
  ) throws(StorageError) -> ObjectState? {
    switch change.operation {
    case .insert, .schema: nil
    case .delete: ObjectState(layout, id: change.id, key: change.key, image: change.before)
    case .update: try iterator.object(identity, snapshot)
    }
  }

  private func publish(_ applied: AppliedChange, _ snapshot: Snapshot) {
    var candidates: [FilterNode] = []
    index.forEachCandidate(of: applied.identity, before: applied.before, after: applied.after) {
      if !$0.isSuspended { candidates.append($0) }
    }
    let (pendingMatches, propertyMatches) = ask(applied, &candidates, in: snapshot)
    iterator.pass(applied.change)
    let history = HistoricalSnapshot(iterator, snapshot)
    for pending in pendingMatches {
      publishLinkedEvents(of: pending, applied, history)
      suspend(pending.node, if: history, at: applied.change.position)
    }
    publishOwnEvents(of: applied, to: candidates, pendingMatches, in: history)
    for pending in propertyMatches {
      publishPropertyEvents(of: pending, applied, history)
      suspend(pending.node, if: history, at: applied.change.position)
    }
  }

  /// Asks where links lead from and which values properties have before the history goes on: afterwards both may differ.
  private func ask(
    _ applied: AppliedChange, _ candidates: inout [FilterNode], in snapshot: Snapshot
  ) -> ([PendingMatch], [PendingPropertyMatch]) {
    let distant = index.distant(applied.change.objectType)
    let places = propertyIndex.candidates(applied.identity)
    if distant.isEmpty, places.isEmpty { return ([], []) }
    let history = HistoricalSnapshot(iterator, snapshot)
    let own = distant.isEmpty ? [] : Set(candidates.map(ObjectIdentifier.init))
    var (pendingMatches, propertyMatches): ([PendingMatch], [PendingPropertyMatch]) = ([], [])
    for node in distant where !node.isSuspended {
      let pending = PendingMatch(
        node, applied, isCandidate: own.contains(ObjectIdentifier(node)), limit: limit, in: history)
      if suspend(node, if: history, at: applied.change.position) {
        candidates.removeAll { $0 === node }
      } else {
        pendingMatches.append(pending)
      }
    }
    for node in places where !node.isSuspended {
      let pending = PendingPropertyMatch(node, applied, in: history)
      if !suspend(node, if: history, at: applied.change.position) { propertyMatches.append(pending) }
    }
    return (pendingMatches, propertyMatches)
  }

  // Failures

  /// Whether something could not be found out for those who watch the filter. They alone are told so; where it took too
  /// long, nothing is asked for them until the iterator has caught up.
  @discardableResult
  private func suspend(_ node: FilterNode, if history: HistoricalSnapshot, at position: LogPosition) -> Bool {
    guard let failure = takeFailure(of: history) else { return false }
    if past != nil {
      self.failure = failure
    } else if failure == .timeLimit, !node.isSuspended {
      node.isSuspended = true
      suspended.append(node)
    } else {
      resync(node.groups, at: position)
    }
    return true
  }

  @discardableResult
  private func suspend(_ node: PropertyWatchNode, if history: HistoricalSnapshot, at position: LogPosition)
    -> Bool
  {
    guard let failure = takeFailure(of: history) else { return false }
    if past != nil {
      self.failure = failure
    } else if failure == .timeLimit, !node.isSuspended {
      node.isSuspended = true
      suspendedProperties.append(node)
    } else {
      resync(node.groups, at: position)
    }
    return true
  }

  private func takeFailure(of history: HistoricalSnapshot) -> StorageError? {
    guard let unseen = visibility?.failure else { return history.takeFailure() }
    visibility = nil
    return history.takeFailure() ?? unseen
  }

  /// The iterator has caught up: those who were left out read anew, and are told of what comes.
  private func resume() {
    for node in suspended {
      node.isSuspended = false
      resync(node.groups, at: reached)
    }
    for node in suspendedProperties {
      node.isSuspended = false
      resync(node.groups, at: reached)
    }
    (suspended, suspendedProperties) = ([], [])
  }

  /// Has groups read anew.
  private func resync(
    _ groups: [SubscriberGroup], at position: LogPosition, because reason: ResyncReason = .unknown
  ) {
    for group in groups {
      note(group)
      if group.subscription.results == nil {
        group.encoded.bytes += Frame.resync(position, reason)
      } else {
        group.isTouchedAnywhere = true
      }
    }
  }

  /// Publishes the events of objects that have links to the changed one.
  private func publishLinkedEvents(
    of pending: PendingMatch, _ applied: AppliedChange, _ history: HistoricalSnapshot
  ) {
    if pending.isTooMuch {
      resync(pending.node.groups, at: applied.change.position, because: .tooMany)
    }
    pending.forEachLinkedEvent(of: applied, in: history) { event in
      if isAlreadySent(event.stamp.position) { return }
      var written = FrameCache(isShared: pending.node.groups.count > 1)
      for group in pending.node.groups { append(event, to: group, &written, in: history) }
      if size >= EventProducer.pieceSize { didFill?() }
    }
  }

  /// Publishes the event of the changed object.
  private func publishOwnEvents(
    of applied: AppliedChange, to candidates: [FilterNode], _ pendingMatches: [PendingMatch],
    in history: HistoricalSnapshot
  ) {
    let old = applied.before.map { HistoricalObject(state: $0, history: history) }
    let new = applied.after.map { HistoricalObject(state: $0, history: history) }
    var written = FrameCache(isShared: candidates.count > 1 || candidates.first?.groups.count ?? 0 > 1)
    for node in candidates {
      let pending = pendingMatches.isEmpty ? nil : pendingMatches.first { $0.node === node }
      let event: ChangeEvent?
      if let pending {
        event = pending.ownEvent(of: applied, from: old, to: new)
      } else {
        event = node.filter.event(of: applied, from: old, to: new)
      }
      if suspend(node, if: history, at: applied.change.position) { continue }
      guard let event else { continue }
      for group in node.groups { append(event, to: group, &written, in: history) }
      suspend(node, if: history, at: applied.change.position)
    }
  }

  private func append(
    _ event: ChangeEvent, to group: SubscriberGroup, _ written: inout FrameCache,
    in history: HistoricalSnapshot
  ) {
    if event.outcome == .update, event.concerns(nothingBut: group.shape.hidden) { return }
    let identity = Identity(objectType: event.objectType, id: event.id)
    guard isShown(event.outcome, of: identity, as: event.after ?? event.before, to: group, in: history) else {
      return
    }
    note(group)
    guard group.subscription.results == nil else {
      group.touched.insert(event.id)
      return
    }
    let count = group.encoded.bytes.count
    defer { size += group.encoded.bytes.count - count }
    written.append(event.outcome, as: group.shape, to: &group.encoded.bytes) { bytes in
      EventWriter(history: history).append(event, as: group.shape, to: &bytes)
      return history.failure == nil
    }
    if group.subscription.recordsReads { group.encoded.shown += history.observations(of: event, group.shape) }
  }

  private func publishPropertyEvents(
    of pending: PendingPropertyMatch, _ applied: AppliedChange, _ history: HistoricalSnapshot
  ) {
    guard let (change, view) = pending.change(applied, history), history.failure == nil else { return }
    for group in pending.node.groups {
      let root = pending.node.watch.root
      guard isShown(change.outcome, of: root, as: history.object(root), to: group, in: history) else {
        continue
      }
      note(group)
      let writer = PropertyEventWriter(history: history, watch: pending.node.watch, shape: group.shape)
      let count = group.encoded.bytes.count
      writer.append(
        change, showing: view, at: EventStamp(applied.change), to: &group.encoded.bytes)
      if history.failure != nil { return group.encoded.bytes.removeSubrange(count...) }
      size += group.encoded.bytes.count - count
      guard group.subscription.recordsReads else { continue }
      group.encoded.shown += writer.observations(
        of: change, showing: view, in: applied.change.position.version)
    }
  }

  /// Whether a group is told of an object, which was in that state: under a row filter the past shows what may be seen
  /// now.
  private func isShown(
    _ outcome: Outcome, of identity: Identity, as state: ObjectState?, to group: SubscriberGroup,
    in history: HistoricalSnapshot
  ) -> Bool {
    guard past != nil, let restriction = group.restriction else { return true }
    if let state, isVisible(identity, key: state.key, where: restriction, in: history) {
      group.reveal(identity)
      return true
    }
    return group.reportsConcealed(outcome, of: identity)
  }

  private func isVisible(
    _ identity: Identity, key: ObjectKey, where restriction: Predicate, in history: HistoricalSnapshot
  ) -> Bool {
    var visibility = visibility ?? CurrentVisibility(history.snapshot, iterator.layouts)
    let isVisible = visibility.contains(identity, key: key, where: restriction)
    self.visibility = visibility
    return isVisible
  }

  /// Whether it lies before where the iterator was to begin.
  private func isAlreadySent(_ position: EventPosition) -> Bool {
    guard let start, position.log == start.log, let part = position.part, let last = start.part else {
      return false
    }
    return part <= last
  }

  private func note(_ group: SubscriberGroup) {
    if group.encoded.bytes.isEmpty, group.touched.isEmpty, !group.isTouchedAnywhere {
      changedGroups.append(group)
    }
    group.events += 1
  }
}

extension Filter {
  /// Returns the event of the changed object, where its own values tell all.
  fileprivate func event(
    of applied: AppliedChange, from old: HistoricalObject?, to new: HistoricalObject?
  ) -> ChangeEvent? {
    guard let outcome = outcome(old, new) else { return nil }
    if outcome == .update, !dependencies.counts(applied.changed) { return nil }
    return applied.event(outcome)
  }
}
