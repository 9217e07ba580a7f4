import GatehouseModel
import GatehouseQuery

/// Finds those who see something else by a change, where rules say what may be seen, without trying every one.
///
/// They are found by the value for which their rule for the class asks (`owner_id == %%user.id`), unless their rules
/// look at the class through links: then each of its changes may matter to them.
struct VisibilityIndex {
  private struct Class {
    var always = ReferenceSet<Watches>()
    /// By property, by value.
    var equalities: [Int: [Mixed: ReferenceSet<Watches>]] = [:]
  }

  private var all: [Visibility: Watches] = [:]
  /// The classes at which those are found.
  private var types: [ObjectIdentifier: Set<String>] = [:]
  private var classes: [String: Class] = [:]

  /// Adds a group that watches under a visibility.
  mutating func add(
    _ group: SubscriberGroup, _ bound: BoundSubscription, under rules: VisibilityDependencies,
    in layouts: ClassLayouts
  ) {
    let watches = all[rules.visibility] ?? Watches(rules)
    all[rules.visibility] = watches
    watches.add(group, bound.target, in: layouts.schema)
    let known = types[ObjectIdentifier(watches)] ?? []
    let wanted = rules.types(deciding: bound.target.shownTypes(in: layouts.schema), in: layouts)
    for name in wanted.subtracting(known) { insert(watches, at: name, in: layouts.schema) }
    types[ObjectIdentifier(watches)] = known.union(wanted)
    checkCounts()
  }

  mutating func remove(
    _ group: SubscriberGroup, under visibility: Visibility, in schema: Schema
  ) {
    guard let watches = all[visibility], watches.remove(group, in: schema), watches.isEmpty else { return }
    all[visibility] = nil
    for name in types.removeValue(forKey: ObjectIdentifier(watches)) ?? [] {
      remove(watches, at: name, in: schema)
    }
    checkCounts()
  }

  private func checkCounts() {
    precondition(all.count == types.count, "all who see the same are watched for together")
  }

  /// The watches under that visibility; nil: there are none.
  subscript(visibility: Visibility) -> Watches? { all[visibility] }

  /// The groups that watch everything.
  var groupsOfEverything: [SubscriberGroup] { all.values.flatMap { $0.index.everything.flatMap(\.groups) } }

  /// Whether a change of an object of that class may concern somebody.
  func watches(_ objectType: String) -> Bool { classes[objectType] != nil }

  /// The watches that a change of an object of that class may concern.
  func watches(concernedBy objectType: String) -> [Watches] {
    guard let found = classes[objectType] else { return [] }
    return found.always.elements + found.equalities.values.flatMap { $0.values.joined() }
  }

  /// Calls `body` once with the watches that a change of the object may concern.
  func forEachCandidate(of change: AppliedChange, _ body: (Watches) -> Void) {
    guard let found = classes[change.identity.objectType] else { return }
    found.always.forEach(body)
    for (property, byValue) in found.equalities {
      let (old, new) = (change.before?.values[property], change.after?.values[property])
      if let old { byValue[old]?.forEach(body) }
      if let new, new != old { byValue[new]?.forEach(body) }
    }
  }

  private mutating func insert(_ watches: Watches, at name: String, in schema: Schema) {
    if let rules = watches.rules, !rules.isLookedAt(name), rules.visibility.conditions[name] == .never {
      return
    }
    if let equality = equality(of: watches, at: name, in: schema) {
      classes[name, default: Class()].equalities[equality.property, default: [:]]
        .insert(watches, at: equality.value)
    } else {
      classes[name, default: Class()].always.insert(watches)
    }
  }

  private mutating func remove(_ watches: Watches, at name: String, in schema: Schema) {
    if let (property, value) = equality(of: watches, at: name, in: schema) {
      classes[name]?.equalities[property]?.remove(watches, at: value)
      if classes[name]?.equalities[property]?.isEmpty == true { classes[name]?.equalities[property] = nil }
    } else {
      classes[name]?.always.remove(watches)
    }
    if classes[name]?.always.isEmpty == true, classes[name]?.equalities.isEmpty == true {
      classes[name] = nil
    }
  }

  /// The equality without which they see nothing of a change of an object of the class.
  private func equality(
    of watches: Watches, at name: String, in schema: Schema
  ) -> (property: Int, value: Mixed)? {
    guard let rules = watches.rules, !rules.isLookedAt(name), let type = schema[name] else { return nil }
    return rules.visibility.conditions[name]?.requiredEquality(in: type)
  }
}

extension BoundSubscription.Target {
  /// The classes of the objects that count where they look different.
  fileprivate func shownTypes(in schema: Schema) -> Set<String> {
    switch self {
    case .objects(let filter):
      guard let objectType = filter.objectType else {
        return Set(schema.objectTypes.filter { !$0.isEmbedded }.map(\.name))
      }
      return filter.distantTypes.union([objectType])
    case .property(let watch): return watch.distantTypes.union([watch.objectType])
    }
  }
}
