import Model
import Query
import Storage

/// Walks along the log and writes what those who watch are to be told.
final class Watch {
  private let history: History
  private var index = FilterIndex()
  private var nodes: [Filter: FilterNode] = [:]
  private var memberships: [Int: FilterNode] = [:]
  private var placeIndex = PlaceIndex()
  private var placeNodes: [Place: PlaceNode] = [:]
  private var placeMemberships: [Int: PlaceNode] = [:]
  /// Groups that have frames, or touched objects.
  private(set) var told: [Group] = []
  private(set) var schema: Schema
  /// Events up to here have been told already, though the walk begins before them.
  private let start: EventPosition?
  /// Objects that one change may concern through links.
  private let limit: Int
  /// What objects were like where the past is told, of which row filters show only what may be seen now; nil: it follows
  /// the end of the log.
  let past: PastStates?
  /// Whether it takes more to know what a change means than the changed object.
  private var looksElsewhere = false
  private var count = 0
  /// In the snapshot that is walked through, if somebody asked.
  private var visibility: CurrentVisibility?
  /// Why a walk through the past, which is somebody's alone, cannot go on.
  private var failure: StorageError?
  /// Those for which a change took too long.
  private var suspended: [FilterNode] = []
  private var suspendedPlaces: [PlaceNode] = []
  /// The bytes of the frames that have not been taken.
  private var size = 0
  /// Called when there are frames enough to take in the midst of a change; then nothing is told of its end yet.
  var didFill: (() -> Void)?

  /// Bytes of frames after which they had better be taken.
  private static let pieceSize = 256 << 10

  /// Begins behind a position.
  init(from start: EventPosition, schema: Schema, limit: Int, past: PastStates? = nil) {
    self.limit = limit
    self.past = past
    history = History(from: start.logged, schema: schema, classes: [], past: past)
    self.start = start.part == nil ? nil : start
    self.schema = schema
  }

  /// Everything up to here has been told.
  var reached: LogPosition { history.reached }

  /// Lets a group watch from where the walk is, which must be the end of what it has seen.
  func add(_ group: Group, _ bound: BoundSubscription) {
    switch bound.target {
    case .objects(let filter):
      let node = nodes[filter] ?? FilterNode(filter)
      if node.groups.isEmpty {
        nodes[filter] = node
        index.add(node, in: schema)
      }
      node.groups.append(group)
      memberships[group.number] = node
    case .place(let place):
      let node = placeNodes[place] ?? PlaceNode(place)
      if node.groups.isEmpty {
        placeNodes[place] = node
        placeIndex.add(node)
      }
      node.groups.append(group)
      placeMemberships[group.number] = node
    }
    looksElsewhere = looksElsewhere || bound.looksElsewhere(history.layouts)
    if let types = bound.visitedTypes { history.classes?.formUnion(types) } else { history.classes = nil }
  }

  /// Ends the watch of a group.
  func remove(_ group: Group) {
    if let node = memberships.removeValue(forKey: group.number) {
      node.groups.removeAll { $0 === group }
      guard node.groups.isEmpty else { return }
      nodes[node.filter] = nil
      index.remove(node, in: schema)
    } else if let node = placeMemberships.removeValue(forKey: group.number) {
      node.groups.removeAll { $0 === group }
      guard node.groups.isEmpty else { return }
      placeNodes[node.place] = nil
      placeIndex.remove(node)
    }
  }

  /// Forgets all groups: they are to be added again, in the terms of another schema.
  func removeAll(schema: Schema) {
    resume()
    index = FilterIndex()
    nodes = [:]
    memberships = [:]
    placeIndex = PlaceIndex()
    placeNodes = [:]
    placeMemberships = [:]
    self.schema = schema
  }

  /// Takes what was told.
  func takeTold() -> [Group] {
    defer { (told, size) = ([], 0) }
    return told
  }

  /// Looks at the log up to the snapshot.
  func look(_ snapshot: Snapshot) throws(StorageError) {
    try history.look(snapshot)
  }

  /// Walks past at most `limit` changes, or until there are frames enough to take; false when there are no more changes.
  func walk(_ snapshot: Snapshot, limit: Int) throws(StorageError) -> Bool {
    for _ in 0..<limit {
      guard let change = try history.peek(snapshot) else {
        resume()
        return false
      }
      tell(change, snapshot)
      if size >= Watch.pieceSize { break }
    }
    return true
  }

  /// Takes the number of changes that a walk through the past has passed.
  func takeCount() -> Int {
    defer { count = 0 }
    return count
  }

  /// Why a walk through the past came to rest.
  enum Pause {
    /// It passed as many changes, or wrote as many bytes, as it was to.
    case limit
    /// There are no more changes.
    case end
    /// The next change takes what is not in the index.
    case unindexed
  }

  /// Walks through the past up to a position, until it has passed `limit` changes or a group has frames of `size` bytes.
  func replay(
    _ snapshot: Snapshot, through last: LogPosition, limit: Int, size: Int
  ) throws(StorageError) -> Pause {
    // What may be seen now is asked of each snapshot anew.
    defer { visibility = nil }
    let isIndexed = past?.index.covers(reached, linkLayouts, snapshot) ?? true
    for _ in 0..<limit {
      guard let change = try history.peek(snapshot), change.position <= last else { return .end }
      if !isIndexed, needsIndex(change) { return .unindexed }
      tell(change, snapshot)
      if let failure { throw failure }
      count += 1
      if told.contains(where: { $0.parcel.bytes.count >= size }) { return .limit }
    }
    return .limit
  }

  /// Takes in more of what a walk through the past needs; true: that was all.
  func extendIndex(_ snapshot: Snapshot) throws(StorageError) -> Bool {
    guard let past else { return true }
    let layouts = linkLayouts
    try past.index.extend(to: reached, layouts, snapshot)
    return past.index.covers(reached, layouts, snapshot)
  }

  /// The classes of which it may be asked which objects had links.
  private var linkLayouts: [ClassLayout] {
    guard looksElsewhere, let classes = history.classes else { return [] }
    return classes.sorted().compactMap { history.layouts[$0] }.filter(\.mayLink)
  }

  /// An object that is new, or gone, is in the log with all that it has.
  private func needsIndex(_ change: LoggedChange) -> Bool {
    guard index.watches(change.objectType) || placeIndex.watches(change.objectType) else { return false }
    return looksElsewhere || change.operation == .update
  }

  /// The frame with all that the group's place has, where the walk is; nil: it watches none.
  func initial(of group: Group, _ snapshot: Snapshot) throws(StorageError) -> Parcel? {
    guard let place = placeMemberships[group.number]?.place else { return nil }
    let scene = Scene(history, snapshot)
    let writer = PlaceWriter(scene: scene, place: place, shape: group.shape)
    let view = place.view(scene)
    var parcel = Parcel()
    writer.append(view, at: EventPosition(reached), to: &parcel.bytes)
    if group.subscription.isWitnessed {
      parcel.shown = writer.observations(of: .insert, view, reached.version)
    }
    if let failure = scene.failure { throw failure }
    return parcel
  }

  private func tell(_ change: LoggedChange, _ snapshot: Snapshot) {
    guard change.operation != .schema else {
      let writer = EventWriter(scene: Scene(history, snapshot))
      for group in index.everything.flatMap(\.groups) {
        note(group)
        writer.append(schema: change, to: &group.parcel.bytes)
      }
      return history.pass(change)
    }
    let name = change.objectType
    guard index.watches(name) || placeIndex.watches(name), let layout = history.layouts[name] else {
      return history.pass(change)
    }
    let identity = Identity(objectType: name, id: change.id)
    let passage: Passage
    do throws(StorageError) {
      passage = Passage(change, layout, before: try before(change, identity, layout, snapshot))
    } catch {
      history.pass(change)
      if past != nil {
        failure = error
        return
      }
      return resync(index.groups(watching: name) + placeIndex.groups(watching: name), change.position)
    }
    tell(passage, snapshot)
  }

  private func before(
    _ change: LoggedChange, _ identity: Identity, _ layout: ClassLayout, _ snapshot: Snapshot
  ) throws(StorageError) -> ObjectState? {
    switch change.operation {
    case .insert, .schema: nil
    case .delete: ObjectState(layout, id: change.id, key: change.key, image: change.before)
    case .update: try history.object(identity, snapshot)
    }
  }

  private func tell(_ passage: Passage, _ snapshot: Snapshot) {
    var candidates: [FilterNode] = []
    index.forEachCandidate(passage.change.objectType, passage.change.id, passage.before, passage.after) {
      if !$0.isSuspended { candidates.append($0) }
    }
    let (prospects, places) = ask(passage, &candidates, snapshot)
    history.pass(passage.change)
    let scene = Scene(history, snapshot)
    for prospect in prospects {
      tell(prospect, passage, scene)
      suspend(prospect.node, if: scene, at: passage.change.position)
    }
    tell(candidates, prospects, passage, scene)
    for place in places {
      tell(place, passage, scene)
      suspend(place.node, if: scene, at: passage.change.position)
    }
  }

  /// What links lead from, and what is at places, is asked before the walk goes on: afterwards it may be another.
  private func ask(
    _ passage: Passage, _ candidates: inout [FilterNode], _ snapshot: Snapshot
  ) -> ([Prospect], [PlaceProspect]) {
    let distant = index.distant(passage.change.objectType)
    let places = placeIndex.candidates(passage.identity)
    if distant.isEmpty, places.isEmpty { return ([], []) }
    let scene = Scene(history, snapshot)
    let own = distant.isEmpty ? [] : Set(candidates.map(ObjectIdentifier.init))
    var (prospects, placeProspects): ([Prospect], [PlaceProspect]) = ([], [])
    for node in distant where !node.isSuspended {
      let prospect = Prospect(
        node, passage, isCandidate: own.contains(ObjectIdentifier(node)), limit: limit, scene)
      if suspend(node, if: scene, at: passage.change.position) {
        candidates.removeAll { $0 === node }
      } else {
        prospects.append(prospect)
      }
    }
    for node in places where !node.isSuspended {
      let prospect = PlaceProspect(node, passage, scene)
      if !suspend(node, if: scene, at: passage.change.position) { placeProspects.append(prospect) }
    }
    return (prospects, placeProspects)
  }

  // What cannot be found out

  /// Whether something could not be found out for those who watch the filter. They alone are told so; where it took too
  /// long, nothing is asked for them until the walk has caught up.
  @discardableResult
  private func suspend(_ node: FilterNode, if scene: Scene, at position: LogPosition) -> Bool {
    guard let failure = takeFailure(of: scene) else { return false }
    if past != nil {
      self.failure = failure
    } else if failure == .timeLimit, !node.isSuspended {
      node.isSuspended = true
      suspended.append(node)
    } else {
      resync(node.groups, position)
    }
    return true
  }

  @discardableResult
  private func suspend(_ node: PlaceNode, if scene: Scene, at position: LogPosition) -> Bool {
    guard let failure = takeFailure(of: scene) else { return false }
    if past != nil {
      self.failure = failure
    } else if failure == .timeLimit, !node.isSuspended {
      node.isSuspended = true
      suspendedPlaces.append(node)
    } else {
      resync(node.groups, position)
    }
    return true
  }

  private func takeFailure(of scene: Scene) -> StorageError? {
    guard let unseen = visibility?.failure else { return scene.takeFailure() }
    visibility = nil
    return scene.takeFailure() ?? unseen
  }

  /// The walk has caught up: those who were left out read anew, and are told of what comes.
  private func resume() {
    for node in suspended {
      node.isSuspended = false
      resync(node.groups, reached)
    }
    for node in suspendedPlaces {
      node.isSuspended = false
      resync(node.groups, reached)
    }
    (suspended, suspendedPlaces) = ([], [])
  }

  /// Has groups read anew.
  private func resync(_ groups: [Group], _ position: LogPosition, _ reason: ResyncReason = .unknown) {
    for group in groups {
      note(group)
      if group.subscription.results == nil {
        group.parcel.bytes += Frame.resync(position, reason)
      } else {
        group.isTouchedAnywhere = true
      }
    }
  }

  /// What the change is to objects that have links to the changed one.
  private func tell(_ prospect: Prospect, _ passage: Passage, _ scene: Scene) {
    if prospect.isTooMuch { resync(prospect.node.groups, passage.change.position, .tooMany) }
    prospect.forEachDistantTelling(passage, scene) { telling in
      if isTold(telling.position) { return }
      var written = WrittenFrames(isShared: prospect.node.groups.count > 1)
      for group in prospect.node.groups { tell(telling, to: group, &written, scene) }
      if size >= Watch.pieceSize { didFill?() }
    }
  }

  /// What the change is to the changed object.
  private func tell(
    _ candidates: [FilterNode], _ prospects: [Prospect], _ passage: Passage, _ scene: Scene
  ) {
    let old = passage.before.map { PastObject(state: $0, scene: scene) }
    let new = passage.after.map { PastObject(state: $0, scene: scene) }
    var written = WrittenFrames(isShared: candidates.count > 1 || candidates.first?.groups.count ?? 0 > 1)
    for node in candidates {
      let prospect = prospects.isEmpty ? nil : prospects.first { $0.node === node }
      let telling: Telling?
      if let prospect {
        telling = prospect.ownTelling(passage, old, new)
      } else {
        telling = node.filter.telling(passage, old, new)
      }
      if suspend(node, if: scene, at: passage.change.position) { continue }
      guard let telling else { continue }
      for group in node.groups { tell(telling, to: group, &written, scene) }
      suspend(node, if: scene, at: passage.change.position)
    }
  }

  private func tell(
    _ telling: Telling, to group: Group, _ written: inout WrittenFrames, _ scene: Scene
  ) {
    if telling.outcome == .update, telling.concerns(nothingBut: group.shape.hidden) { return }
    let identity = Identity(objectType: telling.objectType, id: telling.id)
    guard isTold(telling.outcome, of: identity, telling.after ?? telling.before, to: group, scene) else {
      return
    }
    note(group)
    guard group.subscription.results == nil else {
      group.touched.insert(telling.id)
      return
    }
    let count = group.parcel.bytes.count
    defer { size += group.parcel.bytes.count - count }
    written.append(telling.outcome, as: group.shape, to: &group.parcel.bytes) { bytes in
      EventWriter(scene: scene).append(telling, as: group.shape, to: &bytes)
    }
    if group.subscription.isWitnessed { group.parcel.shown += scene.observations(of: telling, group.shape) }
  }

  private func tell(_ prospect: PlaceProspect, _ passage: Passage, _ scene: Scene) {
    guard let (change, view) = prospect.change(passage, scene), scene.failure == nil else { return }
    for group in prospect.node.groups {
      let root = prospect.node.place.root
      guard isTold(change.outcome, of: root, scene.object(root), to: group, scene) else { continue }
      note(group)
      let writer = PlaceWriter(scene: scene, place: prospect.node.place, shape: group.shape)
      let count = group.parcel.bytes.count
      writer.append(change, view, at: EventPosition(passage.change.position), to: &group.parcel.bytes)
      size += group.parcel.bytes.count - count
      guard group.subscription.isWitnessed else { continue }
      group.parcel.shown += writer.observations(of: change, view, passage.change.position.version)
    }
  }

  /// Whether a group is told of an object, which was in that state: under a row filter the past shows what may be seen
  /// now.
  private func isTold(
    _ outcome: Outcome, of identity: Identity, _ state: ObjectState?, to group: Group, _ scene: Scene
  ) -> Bool {
    guard past != nil, let restriction = group.restriction else { return true }
    if let state, isVisible(identity, state.key, restriction, scene) {
      group.reveal(identity)
      return true
    }
    return group.tellsConcealed(outcome, of: identity)
  }

  private func isVisible(
    _ identity: Identity, _ key: ObjectKey, _ restriction: Predicate, _ scene: Scene
  ) -> Bool {
    var visibility = visibility ?? CurrentVisibility(scene.snapshot, history.layouts)
    let isVisible = visibility.contains(identity, key: key, where: restriction)
    self.visibility = visibility
    return isVisible
  }

  /// Whether it lies before where the walk was to begin.
  private func isTold(_ position: EventPosition) -> Bool {
    guard let start, position.log == start.log, let part = position.part, let last = start.part else {
      return false
    }
    return part <= last
  }

  private func note(_ group: Group) {
    if group.parcel.bytes.isEmpty, group.touched.isEmpty, !group.isTouchedAnywhere { told.append(group) }
    group.events += 1
  }
}

extension Filter {
  /// What the change is to the changed object, where its own values tell all.
  fileprivate func telling(_ passage: Passage, _ old: PastObject?, _ new: PastObject?) -> Telling? {
    guard let outcome = outcome(old, new) else { return nil }
    if outcome == .update, !reach.counts(passage.changed) { return nil }
    return passage.telling(outcome)
  }
}
