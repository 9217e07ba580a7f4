import GatehouseModel
import GatehouseStorage

extension HistoricalSnapshot {
  /// The objects from which the way leads to one that a change makes another, in the order of what identifies them.
  ///
  /// A change moves no links but those of the object itself, of which the states before and after it are given: the answer is
  /// the same before and after the change, unless somebody begins or ceases to see a part of the way by it.
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
  func referrers(_ step: LinkStep, to identity: Identity) -> [Identity] {
    let isExact = step.path.count == 1 && !mayKnowMore(step)
    return candidates(step, to: identity).filter { candidate in
      // An object that is as in the file was found by its links there.
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
