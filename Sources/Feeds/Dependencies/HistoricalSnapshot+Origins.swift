import GatehouseModel
import GatehouseStorage

extension HistoricalSnapshot {
  /// The objects from which the way leads to one that a change makes another, in the order of what identifies them.
  ///
  /// Of all links on the way only those of the changed object itself are not as they are at the walk's point: what
  /// is asked before the walk passes the change holds afterwards.
  func origins(of linkPath: LinkPath, to identity: Identity, _ before: ObjectState?, _ after: ObjectState?)
    -> [Identity]
  {
    var level: Set<Identity> = []
    for (index, step) in linkPath.steps.enumerated().reversed() {
      if index == linkPath.steps.count - 1 {
        level =
          step.isBackward
          ? links(before, step).union(links(after, step)) : Set(referrers(step, to: identity))
      } else {
        level = level.reduce(into: []) { level, identity in
          level.formUnion(
            step.isBackward ? links(object(identity), step) : Set(referrers(step, to: identity)))
        }
      }
    }
    return level.sorted { MixedOrder.compare($0.id, $1.id) < 0 }
  }

  /// The objects that the links of one lead to.
  private func links(_ state: ObjectState?, _ step: LinkStep) -> Set<Identity> {
    guard let state else { return [] }
    return Set(
      state.links(along: step.path[...], to: step.target, layouts).map {
        Identity(objectType: step.target, id: $0)
      })
  }

  /// The objects that have such a link to that one.
  private func referrers(_ step: LinkStep, to identity: Identity) -> [Identity] {
    let isExact = step.path.count == 1 && !mayKnowMore(step)
    return candidates(step, to: identity).filter { candidate in
      // What is as in the file was found by its links there.
      if isExact, isCurrent(candidate) { return true }
      return object(candidate)?.links(along: step.path[...], to: step.target, layouts).contains(identity.id)
        ?? false
    }
  }
}

extension HistoricalSnapshot {
  /// Whether the file may know links of the property that are no longer there: those inside mixed values.
  private func mayKnowMore(_ step: LinkStep) -> Bool {
    layouts[step.owner]?.objectType.properties[step.path[0]].type.stored?.element == .mixed
  }
}

extension ObjectState {
  /// What the links of a property to objects of the class lead to; all but the last of the path lead to embedded
  /// objects.
  func links(along path: ArraySlice<Int>, to target: String, _ layouts: ClassLayouts) -> [Mixed] {
    guard let property = path.first else { return [] }
    let type = layout.objectType.properties[property].type
    let elements = values[property].elements(of: type).filter { $0 != .null }
    guard path.count > 1 else { return elements.flatMap { $0.targets(of: type, in: target) } }
    guard case .object(let name)? = type.stored?.element, let embedded = layouts[name] else { return [] }
    return elements.flatMap {
      ObjectState(embedded, embedded: $0).links(along: path.dropFirst(), to: target, layouts)
    }
  }
}

extension Mixed {
  /// What the links in an element of a property lead to; of one class only, or of any.
  func targets(of type: PropertyType, in objectType: String? = nil) -> [Mixed] {
    guard type.stored?.element == .mixed else { return self == .null ? [] : [self] }
    if let reference {
      return objectType == nil || objectType == reference.objectType ? [reference.id] : []
    }
    switch self {
    case .list(let values): return values.flatMap { $0.targets(of: type, in: objectType) }
    case .dictionary(let entries): return entries.flatMap { $0.value.targets(of: type, in: objectType) }
    default: return []
    }
  }

  /// The values that a property of that type holds.
  func elements(of type: PropertyType) -> [Mixed] {
    switch (type, self) {
    case (.one, _): [self]
    case (.list, .list(let values)), (.set, .list(let values)): values
    case (.map, .dictionary(let entries)): entries.map(\.value)
    default: []
    }
  }
}
