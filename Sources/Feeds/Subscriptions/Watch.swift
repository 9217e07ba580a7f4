import Model
import Storage

/// Walks along the log and writes what those who watch are to be told.
final class Watch {
  private let history: History
  private var index = FilterIndex()
  private var nodes: [Filter: FilterNode] = [:]
  private var memberships: [Int: FilterNode] = [:]
  /// Groups that have frames.
  private(set) var told: [Group] = []
  private(set) var schema: Schema

  init(from start: LogPosition, schema: Schema) {
    history = History(from: start, schema: schema, classes: [])
    self.schema = schema
  }

  /// Everything up to here has been told.
  var reached: LogPosition { history.reached }

  /// Lets a group watch from where the walk is, which must be the end of what it has seen.
  func add(_ group: Group, _ filter: Filter) {
    let node = nodes[filter] ?? FilterNode(filter)
    if node.groups.isEmpty {
      nodes[filter] = node
      index.add(node, in: schema)
    }
    node.groups.append(group)
    memberships[group.number] = node
    history.classes = index.objectTypes
  }

  /// Ends the watch of a group.
  func remove(_ group: Group) {
    guard let node = memberships.removeValue(forKey: group.number) else { return }
    node.groups.removeAll { $0 === group }
    guard node.groups.isEmpty else { return }
    nodes[node.filter] = nil
    index.remove(node, in: schema)
  }

  /// Forgets all groups: they are to be added again, in the terms of another schema.
  func removeAll(schema: Schema) {
    index = FilterIndex()
    nodes = [:]
    memberships = [:]
    self.schema = schema
  }

  /// Takes what was told.
  func takeTold() -> [Group] {
    defer { told = [] }
    return told
  }

  /// Looks at the log up to the snapshot.
  func look(_ snapshot: Snapshot) throws(StorageError) {
    try history.look(snapshot)
  }

  /// Walks past at most `limit` changes; false when there are no more, up to version `last`.
  func walk(
    _ snapshot: Snapshot, through last: Int64 = .max, limit: Int
  ) throws(StorageError) -> Bool {
    for _ in 0..<limit {
      guard let change = try history.peek(snapshot), change.position.version <= last else { return false }
      try tell(change, snapshot)
    }
    return true
  }

  private func tell(_ change: LoggedChange, _ snapshot: Snapshot) throws(StorageError) {
    guard change.operation != .schema else {
      let writer = EventWriter(scene: Scene(history, snapshot))
      for group in index.everything.flatMap(\.groups) {
        note(group)
        writer.append(schema: change, to: &group.frames)
      }
      return history.pass(change)
    }
    guard index.watches(change.objectType), let layout = history.layouts[change.objectType] else {
      return history.pass(change)
    }
    let identity = Identity(objectType: change.objectType, id: change.id)
    let before = try before(change, identity, layout, snapshot)
    history.pass(change)
    var after = change.operation == .delete ? nil : before
    if change.operation == .insert {
      after = ObjectState(layout, id: change.id, image: change.after)
    } else {
      after?.redo(change)
    }
    let scene = Scene(history, snapshot)
    try tell(change, before, after, scene)
    if let failure = scene.failure { throw failure }
  }

  private func before(
    _ change: LoggedChange, _ identity: Identity, _ layout: ClassLayout, _ snapshot: Snapshot
  ) throws(StorageError) -> ObjectState? {
    switch change.operation {
    case .insert, .schema: nil
    case .delete: ObjectState(layout, id: change.id, image: change.before)
    case .update: try history.object(identity, snapshot)
    }
  }

  private func tell(
    _ change: LoggedChange, _ before: ObjectState?, _ after: ObjectState?, _ scene: Scene
  ) throws(StorageError) {
    let writer = EventWriter(scene: scene)
    let old = before.map { PastObject(state: $0, scene: scene) }
    let new = after.map { PastObject(state: $0, scene: scene) }
    var written: [Encoding: [UInt8]] = [:]
    index.forEachCandidate(change.objectType, change.id, before, after) { node in
      guard let outcome = node.filter.outcome(old, new) else { return }
      for group in node.groups {
        note(group)
        let encoding = Encoding(outcome: outcome, shape: group.shape)
        if let frame = written[encoding] {
          group.frames += frame
        } else {
          let start = group.frames.count
          writer.append(outcome, of: change, before, after, as: group.shape, to: &group.frames)
          written[encoding] = Array(group.frames[start...])
        }
      }
    }
  }

  private func note(_ group: Group) {
    if group.frames.isEmpty { told.append(group) }
    group.events += 1
  }
}

/// What an event of one change looks like.
private struct Encoding: Hashable {
  let outcome: Outcome
  let shape: Shape
}
