import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Iterates over the log and writes what those who watch are to be told.
final class EventProducer {
  private let iterator: HistoryIterator
  /// The watches of those who may see everything.
  private var open = Watches()
  /// The watches of others.
  private var guarded = VisibilityIndex()
  /// Groups that have frames, or touched objects.
  private(set) var changedGroups: [SubscriberGroup] = []
  private var layouts: ClassLayouts
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
  /// Tells what may be seen now, in the snapshot that is walked through, if somebody asked: the past is told under one visibility.
  private var visibility: CurrentVisibility?
  /// Why an iterator of the past, which is somebody's alone, cannot go on.
  private var failure: StorageError?
  /// The watched things for which a change took too long.
  private var suspended: [WatchNode] = []
  /// The bytes of the frames that have not been taken.
  private var size = 0
  /// Called when there are frames enough to take in the midst of a change; then nothing is told of its end yet.
  var didFill: (() -> Void)?

  /// Bytes of frames after which they had better be taken.
  private static let pieceSize = 256 << 10

  /// Begins behind a position, at the end of the log or, with `past`, anywhere; reads so many changes in one go there.
  init(
    from start: EventPosition, schema: Schema, limit: Int, past: ObjectStateCache? = nil,
    pageSize: Int = 1_000
  ) {
    self.limit = limit
    self.past = past
    iterator = HistoryIterator(
      from: start.logged, schema: schema, classes: [], past: past, pageSize: pageSize)
    self.start = start.part == nil ? nil : start
    layouts = ClassLayouts(schema)
  }

  var schema: Schema { layouts.schema }

  /// The bytes that an iterator of the past holds of changes and objects, about.
  var memorySize: Int { iterator.bufferSize + (past?.size ?? 0) }

  /// Everything up to here has been told.
  var reached: LogPosition { iterator.reached }

  /// Whether everything that it has looked at has been told, so that groups may join.
  var isCaughtUp: Bool { iterator.isCaughtUp }

  /// Lets a group watch from where the iterator is, which must be the end of what it has seen.
  func add(_ group: SubscriberGroup, _ bound: BoundSubscription) {
    if let rules = bound.rules {
      guarded.add(group, bound, under: rules, in: layouts)
    } else {
      open.add(group, bound.target, in: schema)
    }
    looksElsewhere = looksElsewhere || bound.looksElsewhere(layouts)
    if let types = bound.visitedTypes(in: schema) {
      iterator.classes?.formUnion(types)
    } else {
      iterator.classes = nil
    }
  }

  /// Ends the watch of a group.
  func remove(_ group: SubscriberGroup) {
    if let visibility = group.visibility {
      guarded.remove(group, under: visibility, in: schema)
    } else {
      _ = open.remove(group, in: schema)
    }
  }

  /// Forgets all groups: they are to be added again, in the terms of another schema.
  func removeAll(schema: Schema) {
    resume()
    open = Watches()
    guarded = VisibilityIndex()
    layouts = ClassLayouts(schema)
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
      precondition(iterator.reached == change.position, "a change that was looked at is passed")
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
      precondition(iterator.reached == change.position, "a change that was looked at is passed")
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
    guard open.watches(change.objectType) || guarded.watches(change.objectType) else { return false }
    return looksElsewhere || change.operation == .update
  }

  /// The frame with all that the group's place has, where the iterator is; nil: it watches none.
  func initial(of group: SubscriberGroup, _ snapshot: Snapshot) throws(StorageError) -> EncodedEvents? {
    let watches = group.visibility.map { guarded[$0] } ?? open
    guard let watch = watches?.place(of: group) else { return nil }
    let base = HistoricalSnapshot(iterator, snapshot)
    let history = group.visibility.map { base.concealed(under: $0) } ?? base
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
      for group in open.index.everything.flatMap(\.groups) + guarded.groupsOfEverything {
        note(group)
        writer.append(schema: change, to: &group.encoded.bytes)
      }
      return iterator.pass(change)
    }
    let name = change.objectType
    for group in open.index.queriedGroups(name) {
      note(group)
      group.isTouchedAnywhere = true
    }
    guard open.watches(name) || guarded.watches(name), let layout = iterator.layouts[name] else {
      return iterator.pass(change)
    }
    let applied: AppliedChange
    do throws(StorageError) {
      applied = try iterator.apply(change, to: layout, in: snapshot)
    } catch {
      if past != nil {
        failure = error
        return
      }
      let nodes = guarded.watches(concernedBy: name).flatMap(\.nodes)
      return resync(
        open.groups(watching: name) + nodes.flatMap(\.groups), at: change.position)
    }
    publish(Transition(change, applied, after: HistoricalSnapshot(iterator, snapshot)), snapshot)
  }

  /// Tells everybody of a change that the iterator has passed.
  private func publish(_ transition: Transition, _ snapshot: Snapshot) {
    publishEvents(of: transition, to: open)
    guard let applied = transition.own else { return }
    guarded.forEachCandidate(of: applied) { watches in
      guard let rules = watches.rules else { return }
      let seen = Transition(transition, under: rules, now: currentVisibility(snapshot), limit: limit)
      if let failure = takeFailure(of: transition.after) {
        for node in watches.nodes { suspend(node, since: failure, at: transition.logged.position) }
        return
      }
      guard let seen else {
        let groups = watches.nodes.flatMap(\.groups)
        return resync(groups, at: transition.logged.position, because: .tooMany)
      }
      if !seen.changes.isEmpty { publishEvents(of: seen, to: watches) }
    }
  }

  private func publishEvents(of transition: Transition, to watches: Watches) {
    let candidates = watches.candidates(of: transition)
    var written = FrameCache(isShared: candidates.count > 1 || candidates.first?.groups.count ?? 0 > 1)
    for node in candidates { publishEvents(of: transition, to: node, &written) }
    for node in watches.placeCandidates(of: transition) { publishEvent(of: transition, to: node) }
  }

  /// Publishes the events of the objects that have links to what changed, then that of the changed object.
  private func publishEvents(
    of transition: Transition, to node: FilterNode, _ written: inout FrameCache
  ) {
    let match = FilterMatch(node.filter, transition, limit: limit)
    if suspend(node, if: transition) { return }
    if match.isTooMuch {
      resync(node.groups.elements, at: transition.logged.position, because: .tooMany)
    }
    match.forEachLinkedEvent { event in
      if isAlreadySent(event.stamp.position) { return }
      var written = FrameCache(isShared: node.groups.count > 1)
      for group in node.groups { append(event, of: node.filter, to: group, &written, in: transition) }
      if size >= EventProducer.pieceSize { didFill?() }
    }
    suspend(node, if: transition)
    let event = match.ownEvent
    if suspend(node, if: transition) { return }
    guard let event else { return }
    for group in node.groups { append(event, of: node.filter, to: group, &written, in: transition) }
    suspend(node, if: transition)
  }

  // Failures

  /// Whether something could not be found out for those who watch something. They alone are told so; where it took too
  /// long, nothing is asked for them until the iterator has caught up.
  @discardableResult
  private func suspend(_ node: WatchNode, if transition: Transition) -> Bool {
    guard let failure = takeFailure(of: transition.after) else { return false }
    suspend(node, since: failure, at: transition.logged.position)
    return true
  }

  private func suspend(_ node: WatchNode, since failure: StorageError, at position: LogPosition) {
    if past != nil {
      self.failure = failure
    } else if failure == .timeLimit, !node.isSuspended {
      node.isSuspended = true
      suspended.append(node)
    } else {
      resync(node.groups.elements, at: position)
    }
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
      resync(node.groups.elements, at: reached)
    }
    suspended = []
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

  private func append(
    _ event: ChangeEvent, of filter: Filter, to group: SubscriberGroup, _ written: inout FrameCache,
    in transition: Transition
  ) {
    guard isShown(event, of: filter, to: group, in: transition) else { return }
    let history = transition.shownAfter
    note(group)
    guard group.subscription.results == nil else {
      group.touched.insert(event.id)
      return
    }
    let count = group.encoded.bytes.count
    defer { size += group.encoded.bytes.count - count }
    written.append(event, as: group.shape, to: &group.encoded.bytes) { bytes in
      EventWriter(history: history).append(event, as: group.shape, to: &bytes)
      return history.failure == nil
    }
    if group.subscription.recordsReads { group.encoded.shown += history.observations(of: event, group.shape) }
  }

  private func publishEvent(of transition: Transition, to node: PropertyWatchNode) {
    let change = PropertyMatch(node.watch, transition).change
    if suspend(node, if: transition) { return }
    guard let (change, view) = change else { return }
    for group in node.groups {
      let history = transition.after
      let writer = PropertyEventWriter(history: history, watch: node.watch, shape: group.shape)
      let count = group.encoded.bytes.count
      note(group)
      writer.append(
        change, showing: view, at: EventStamp(transition.logged), to: &group.encoded.bytes)
      if history.failure != nil {
        group.encoded.bytes.removeSubrange(count...)
        break
      }
      size += group.encoded.bytes.count - count
      guard group.subscription.recordsReads else { continue }
      group.encoded.shown += writer.observations(
        of: change, showing: view, in: transition.logged.position.version)
    }
    suspend(node, if: transition)
  }

  /// Whether a group is told of an event: under rules the past shows what may be seen now.
  private func isShown(
    _ event: ChangeEvent, of filter: Filter, to group: SubscriberGroup, in transition: Transition
  ) -> Bool {
    guard past != nil, transition.isGuarded else { return true }
    let maySee = event.outcome.showsObject && filter.matches(event.after, in: transition.shownAfter)
    let identity = Identity(objectType: event.objectType, id: event.id)
    return group.reports(event.outcome, of: identity, maySee: maySee)
  }

  /// Tells what may be seen now, where the past is told; nil: the producer follows the end of the log.
  private func currentVisibility(_ snapshot: Snapshot) -> CurrentVisibility? {
    guard past != nil else { return nil }
    let visibility = visibility ?? CurrentVisibility(snapshot, iterator.layouts)
    self.visibility = visibility
    return visibility
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
