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
    var always: [FilterNode] = []
    var objects: [Mixed: [FilterNode]] = [:]
    /// By property, by value.
    var equalities: [Int: [Mixed: [FilterNode]]] = [:]
  }

  private(set) var everything: [FilterNode] = []
  private var classes: [String: Class] = [:]
  /// Filters by the classes to which links lead from their objects.
  private var distant: [String: [FilterNode]] = [:]
  /// Filters that are not evaluated, by the classes any of whose changes concerns them.
  private var queried: [String: [FilterNode]] = [:]

  mutating func add(_ node: FilterNode, in schema: Schema) {
    for name in node.filter.queried { queried[name, default: []].append(node) }
    guard node.filter.queried.isEmpty else { return }
    change(node, in: schema) { $0.append(node) }
    for name in node.filter.distantTypes { distant[name, default: []].append(node) }
  }

  mutating func remove(_ node: FilterNode, in schema: Schema) {
    for name in node.filter.queried {
      queried[name]?.removeAll { $0 === node }
      if queried[name]?.isEmpty == true { queried[name] = nil }
    }
    guard node.filter.queried.isEmpty else { return }
    change(node, in: schema) { nodes in nodes.removeAll { $0 === node } }
    for name in node.filter.distantTypes {
      distant[name]?.removeAll { $0 === node }
      if distant[name]?.isEmpty == true { distant[name] = nil }
    }
  }

  /// The filters that a change of an object of that class concerns through links.
  func distant(_ objectType: String) -> [FilterNode] { distant[objectType] ?? [] }

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
    var nodes = everything + distant(objectType)
    if let found = classes[objectType] {
      nodes += found.always + found.objects.values.joined()
      nodes += found.equalities.values.flatMap { $0.values.joined() }
    }
    return nodes.flatMap(\.groups)
  }

  /// Whether a change of an object is of interest before its values are known.
  func watches(_ objectType: String) -> Bool {
    !everything.isEmpty || classes[objectType] != nil || distant[objectType] != nil
  }

  private mutating func change(
    _ node: FilterNode, in schema: Schema, _ change: (inout [FilterNode]) -> Void
  ) {
    switch key(of: node.filter, in: schema) {
    case .everything: change(&everything)
    case .always(let name): change(&classes[name, default: Class()].always)
    case .object(let identity):
      change(&classes[identity.objectType, default: Class()].objects[identity.id, default: []])
      if classes[identity.objectType]?.objects[identity.id]?.isEmpty == true {
        classes[identity.objectType]?.objects[identity.id] = nil
      }
    case .equality(let name, let property, let value):
      change(&classes[name, default: Class()].equalities[property, default: [:]][value, default: []])
      if classes[name]?.equalities[property]?[value]?.isEmpty == true {
        classes[name]?.equalities[property]?[value] = nil
      }
      if classes[name]?.equalities[property]?.isEmpty == true { classes[name]?.equalities[property] = nil }
    }
    if let name = node.filter.objectType, classes[name]?.isEmpty == true { classes[name] = nil }
  }

  private func key(of filter: Filter, in schema: Schema) -> Key {
    switch filter.scope {
    case .everything: return .everything
    case .object(let name, let id): return .object(Identity(objectType: name, id: id))
    case .property(let name, _, _): return .always(name)
    case .objectType(let name):
      guard let type = schema[name], let equality = filter.predicate.equality(in: type) else {
        return .always(name)
      }
      return .equality(name, property: equality.property, equality.value)
    }
  }
}

extension FilterIndex.Class {
  fileprivate var isEmpty: Bool { always.isEmpty && objects.isEmpty && equalities.isEmpty }
}

extension Predicate {
  /// An equality without which the predicate does not hold, and that is one of the bits: numbers of two types
  /// may be equal, and texts without their case.
  fileprivate func equality(in type: ObjectType) -> (property: Int, value: Mixed)? {
    switch self {
    case .all(let predicates): return predicates.lazy.compactMap { $0.equality(in: type) }.first
    case .comparison(let comparison):
      guard comparison.relation == .equal(caseSensitive: true),
        case (.path(let path), .constant(.value(let value))) = (comparison.left, comparison.right),
        path.hops.isEmpty, case .value(let property) = path.end,
        case .one(let element, _) = type.properties[property].type, value.isOne(of: element)
      else { return nil }
      return (property, value)
    case .unguarded(let predicate): return predicate.equality(in: type)
    case .any, .not, .fullText, .within: return nil
    }
  }
}

extension Mixed {
  /// Whether equal values of the type are those with the same bits.
  fileprivate func isOne(of element: ElementType) -> Bool {
    switch (self, element) {
    case (.bool, .bool), (.int, .int), (.string, .string), (.objectID, .objectID), (.uuid, .uuid),
      (.date, .date):
      true
    default: false
    }
  }
}
