import GatehouseModel
import GatehouseQuery

/// Everything that is watched by those who may see the same, and finds what a change may concern of it.
final class Watches {
  /// Their rules; nil: they may see everything.
  let rules: VisibilityDependencies?
  private(set) var index = FilterIndex()
  private(set) var places = PropertyWatchIndex()
  private var filters: [Filter: FilterNode] = [:]
  private var watches: [PropertyWatch: PropertyWatchNode] = [:]
  private var members: [Int: WatchNode] = [:]

  init(_ rules: VisibilityDependencies? = nil) {
    self.rules = rules
  }

  var isEmpty: Bool { members.isEmpty }

  /// Whether a change of an object of that class may concern somebody.
  func watches(_ objectType: String) -> Bool { index.watches(objectType) || places.watches(objectType) }

  /// The groups that a change of an object of that class may concern.
  func groups(watching objectType: String) -> [SubscriberGroup] {
    index.groups(watching: objectType) + places.groups(watching: objectType)
  }

  /// All that is watched.
  var nodes: [WatchNode] { Array(filters.values) + Array(watches.values) }

  /// The place that a group watches; nil: it watches none.
  func place(of group: SubscriberGroup) -> PropertyWatch? {
    (members[group.number] as? PropertyWatchNode)?.watch
  }

  func add(_ group: SubscriberGroup, _ target: BoundSubscription.Target, in schema: Schema) {
    let node: WatchNode
    switch target {
    case .objects(let filter): node = self.node(of: filter, in: schema)
    case .property(let watch): node = self.node(of: watch)
    }
    node.groups.insert(group)
    guard members.updateValue(node, forKey: group.number) == nil else {
      preconditionFailure("a group watches one thing")
    }
  }

  private func node(of filter: Filter, in schema: Schema) -> FilterNode {
    if let node = filters[filter] { return node }
    let node = FilterNode(filter)
    filters[filter] = node
    index.add(node, in: schema)
    return node
  }

  private func node(of watch: PropertyWatch) -> PropertyWatchNode {
    if let node = watches[watch] { return node }
    let node = PropertyWatchNode(watch)
    watches[watch] = node
    places.add(node)
    return node
  }

  /// Ends the watch of a group; false: it has none here.
  func remove(_ group: SubscriberGroup, in schema: Schema) -> Bool {
    guard let node = members.removeValue(forKey: group.number) else { return false }
    node.groups.remove(group)
    guard node.groups.isEmpty else { return true }
    precondition(
      members.count >= filters.count + watches.count - 1, "what is watched is watched by a group")
    if let node = node as? FilterNode {
      filters[node.filter] = nil
      index.remove(node, in: schema)
    } else if let node = node as? PropertyWatchNode {
      watches[node.watch] = nil
      places.remove(node)
    }
    return true
  }

  /// Returns the filters that a change may concern, each of them once.
  func candidates(of transition: Transition) -> [FilterNode] {
    var seen: Set<ObjectIdentifier> = []
    var found: [FilterNode] = []
    func add(_ node: FilterNode) {
      if !node.isSuspended, seen.insert(ObjectIdentifier(node)).inserted { found.append(node) }
    }
    for change in transition.changes {
      index.forEachCandidate(of: change.identity, before: change.before, after: change.after, add)
      index.distant(change.identity.objectType).forEach(add)
    }
    return found
  }

  /// Returns the places that a change may concern, each of them once.
  func placeCandidates(of transition: Transition) -> [PropertyWatchNode] {
    var seen: Set<ObjectIdentifier> = []
    return transition.changes.flatMap { places.candidates($0.identity) }
      .filter { !$0.isSuspended && seen.insert(ObjectIdentifier($0)).inserted }
  }
}
