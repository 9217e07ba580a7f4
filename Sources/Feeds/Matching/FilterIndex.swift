import GatehouseModel
import GatehouseQuery

/// Finds the filters that a change may concern, without trying every one.
///
/// A filter that asks for an equality (`country == 'FR' AND …`) is found by the value, a filter of one object by
/// the object; the others of the class are candidates always. Those that links lead to from other classes are found
/// by these.
struct FilterIndex {
  /// Where a filter is found.
  private enum Key {
    case everything
    case always(String)
    case object(Identity)
    case equality(String, property: Int, Mixed)
  }

  fileprivate struct Class {
    var always = ReferenceSet<FilterNode>()
    var objects: [Mixed: ReferenceSet<FilterNode>] = [:]
    /// By property, by value.
    var equalities: [Int: [Mixed: ReferenceSet<FilterNode>]] = [:]
  }

  private(set) var everything = ReferenceSet<FilterNode>()
  private var classes: [String: Class] = [:]
  /// Filters by the classes to which links lead from their objects.
  private var distant: [String: ReferenceSet<FilterNode>] = [:]
  /// Filters that are not evaluated, by the classes any of whose changes concerns them.
  private var queried: [String: ReferenceSet<FilterNode>] = [:]

  mutating func add(_ node: FilterNode, in schema: Schema) {
    for name in node.filter.queried { queried.insert(node, at: name) }
    guard node.filter.queried.isEmpty else { return }
    for name in node.filter.distantTypes { distant.insert(node, at: name) }
    switch key(of: node.filter, in: schema) {
    case .everything: everything.insert(node)
    case .always(let name): classes[name, default: Class()].always.insert(node)
    case .object(let identity):
      classes[identity.objectType, default: Class()].objects.insert(node, at: identity.id)
    case .equality(let name, let property, let value):
      classes[name, default: Class()].equalities[property, default: [:]].insert(node, at: value)
    }
  }

  mutating func remove(_ node: FilterNode, in schema: Schema) {
    for name in node.filter.queried { queried.remove(node, at: name) }
    guard node.filter.queried.isEmpty else { return }
    for name in node.filter.distantTypes { distant.remove(node, at: name) }
    switch key(of: node.filter, in: schema) {
    case .everything: everything.remove(node)
    case .always(let name): classes[name]?.always.remove(node)
    case .object(let identity): classes[identity.objectType]?.objects.remove(node, at: identity.id)
    case .equality(let name, let property, let value):
      classes[name]?.equalities[property]?.remove(node, at: value)
      if classes[name]?.equalities[property]?.isEmpty == true { classes[name]?.equalities[property] = nil }
    }
    if let name = node.filter.objectType, classes[name]?.isEmpty == true { classes[name] = nil }
  }

  /// The filters that a change of an object of that class concerns through links.
  func distant(_ objectType: String) -> [FilterNode] { distant[objectType]?.elements ?? [] }

  /// The groups that any change of an object of that class concerns.
  func queriedGroups(_ objectType: String) -> [SubscriberGroup] {
    queried[objectType]?.flatMap(\.groups) ?? []
  }

  /// Calls `body` once with each filter that an object with these states may concern; nil: it was or is not there.
  func forEachCandidate(
    of identity: Identity, before: ObjectState?, after: ObjectState?, _ body: (FilterNode) -> Void
  ) {
    everything.forEach(body)
    guard let found = classes[identity.objectType] else { return }
    found.always.forEach(body)
    if !found.objects.isEmpty { found.objects[identity.id]?.forEach(body) }
    for (property, byValue) in found.equalities {
      let (old, new) = (before?.values[property], after?.values[property])
      if let old { byValue[old]?.forEach(body) }
      if let new, new != old { byValue[new]?.forEach(body) }
    }
  }

  /// The groups that a change of an object of that class may concern.
  func groups(watching objectType: String) -> [SubscriberGroup] {
    var nodes = everything.elements + distant(objectType)
    if let found = classes[objectType] {
      nodes += found.always.elements + found.objects.values.joined()
      nodes += found.equalities.values.flatMap { $0.values.joined() }
    }
    return nodes.flatMap(\.groups)
  }

  /// Whether a change of an object is of interest before its values are known.
  func watches(_ objectType: String) -> Bool {
    !everything.isEmpty || classes[objectType] != nil || distant[objectType] != nil
  }

  private func key(of filter: Filter, in schema: Schema) -> Key {
    switch filter.scope {
    case .everything: return .everything
    case .object(let name, let id): return .object(Identity(objectType: name, id: id))
    case .property(let name, _, _): return .always(name)
    case .objectType(let name):
      guard let type = schema[name], let equality = filter.predicate.requiredEquality(in: type) else {
        return .always(name)
      }
      return .equality(name, property: equality.property, equality.value)
    }
  }
}

extension FilterIndex.Class {
  fileprivate var isEmpty: Bool { always.isEmpty && objects.isEmpty && equalities.isEmpty }
}
