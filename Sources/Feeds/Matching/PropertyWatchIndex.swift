import GatehouseModel

/// Finds the places that a change may concern.
struct PropertyWatchIndex {
  /// By the objects that they begin at.
  private var roots: [Identity: ReferenceSet<PropertyWatchNode>] = [:]
  /// By the classes that links on the way, or elements, lead to.
  private var distant: [String: ReferenceSet<PropertyWatchNode>] = [:]
  private var counts: [String: Int] = [:]

  /// Whether a change of an object of that class may concern one.
  func watches(_ objectType: String) -> Bool { counts[objectType] != nil || distant[objectType] != nil }

  mutating func add(_ node: PropertyWatchNode) {
    roots.insert(node, at: node.watch.root)
    counts[node.watch.objectType, default: 0] += 1
    for name in node.watch.distantTypes { distant.insert(node, at: name) }
  }

  mutating func remove(_ node: PropertyWatchNode) {
    roots.remove(node, at: node.watch.root)
    let count = counts[node.watch.objectType] ?? 0
    precondition(count > 0, "a place that is no longer watched was")
    counts[node.watch.objectType] = count > 1 ? count - 1 : nil
    for name in node.watch.distantTypes { distant.remove(node, at: name) }
  }

  /// The groups that a change of an object of that class may concern.
  func groups(watching objectType: String) -> [SubscriberGroup] {
    let own = roots.filter { $0.key.objectType == objectType }.values.joined()
    return (own + (distant[objectType]?.elements ?? [])).flatMap(\.groups)
  }

  /// The places that a change of the object may concern, each of them once.
  func candidates(_ identity: Identity) -> [PropertyWatchNode] {
    let distant = distant[identity.objectType]?.elements ?? []
    guard let own = roots[identity] else { return distant }
    return own + distant.filter { $0.watch.root != identity }
  }
}
