import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// A change of the log that the iterator has just passed, and what it is to somebody: the store before and after it as they
/// see it, and each object that looks different to them.
///
/// Who may not see everything sees objects come and go, and links to them, by changes of other objects: those that their
/// rules look at.
struct Transition {
  let logged: LoggedChange
  let before: HistoricalSnapshot
  let after: HistoricalSnapshot
  /// The parts of these two that may be shown: where the past is told under rules, only what may be seen now as well.
  let shownBefore: HistoricalSnapshot
  let shownAfter: HistoricalSnapshot
  /// The logged change, if they see it, is the last one.
  private(set) var changes: [AppliedChange]

  /// The change as whoever may see everything sees it.
  init(_ logged: LoggedChange, _ applied: AppliedChange, after: HistoricalSnapshot) {
    self.logged = logged
    self.after = after
    before = after.replacing(applied.identity, by: applied.before)
    (shownBefore, shownAfter) = (before, after)
    changes = [applied]
  }

  /// The change as it is under rules; `now` tells what may be seen now, where the past is told. Nil: it concerns more
  /// objects than the limit.
  init?(
    _ whole: Transition, under rules: VisibilityDependencies, now: CurrentVisibility?, limit: Int
  ) {
    logged = whole.logged
    before = whole.before.concealed(under: rules.visibility)
    after = whole.after.concealed(under: rules.visibility)
    shownBefore = now.map { whole.before.concealed(under: rules.visibility, now: $0) } ?? before
    shownAfter = now.map { whole.after.concealed(under: rules.visibility, now: $0) } ?? after
    changes = []
    guard let applied = whole.changes.last else { return }
    guard let flipped = flipped(by: applied, whole, rules, limit: limit),
      let relinked = relinked(to: flipped, whole, rules.visibility, limit: limit)
    else { return nil }
    changes = flipped.union(relinked.keys).subtracting([applied.identity]).sorted(by: Identity.isBefore)
      .compactMap { change(of: $0, relinked[$0] ?? []) }
    let set = applied.changed.filter { isSet($0, of: applied.identity) }
    let links = relinked[applied.identity]?.subtracting(set) ?? []
    if let own = change(of: applied.identity, set: set, links) { changes.append(own) }
  }

  /// The object that the log says has changed.
  var identity: Identity { Identity(objectType: logged.objectType, id: logged.id) }

  /// Whether there are rules for what may be seen.
  var isGuarded: Bool { after.concealment != nil }

  /// The logged change as it is seen, if it is.
  var own: AppliedChange? {
    guard let last = changes.last, last.identity == identity else { return nil }
    return last
  }

  /// Returns an object before and after it.
  func states(of identity: Identity) -> (before: ObjectState?, after: ObjectState?) {
    let state = after.object(identity)
    // The log has nothing of others.
    return (isGuarded || identity == self.identity ? before.object(identity) : state, state)
  }

  /// Returns what may be shown of an object before and after it.
  func shownStates(of identity: Identity) -> (ObjectState?, ObjectState?) {
    (shownBefore.object(identity), shownAfter.object(identity))
  }

  /// Returns the objects from which the way leads to one that the change has look different.
  func origins(of linkPath: LinkPath, to change: AppliedChange) -> Set<Identity> {
    origins(of: linkPath, to: change, change.after, in: before, after)
  }

  /// Returns those of them from which the way may be shown. One that led to where something is not seen any more may always.
  func shownOrigins(of linkPath: LinkPath, to change: AppliedChange) -> Set<Identity> {
    let state = isGuarded ? shownAfter.object(change.identity) : change.after
    return origins(of: linkPath, to: change, state, in: shownBefore, shownAfter)
  }

  private func origins(
    of linkPath: LinkPath, to change: AppliedChange, _ state: ObjectState?, in before: HistoricalSnapshot,
    _ after: HistoricalSnapshot
  ) -> Set<Identity> {
    let origins = Set(after.origins(of: linkPath, to: change.identity, change.before, state))
    guard isGuarded else { return origins }
    return origins.union(before.origins(of: linkPath, to: change.identity, change.before, state))
  }

  /// Returns the objects that one begins or ceases to see; nil: there may be more than the limit.
  private func flipped(
    by applied: AppliedChange, _ whole: Transition, _ rules: VisibilityDependencies, limit: Int
  ) -> Set<Identity>? {
    var candidates: Set<Identity> = [applied.identity]
    for linkPath in rules.linkPaths(to: applied.identity.objectType) {
      candidates.formUnion(
        whole.after.origins(of: linkPath, to: applied.identity, applied.before, applied.after))
      if candidates.count > limit { return nil }
    }
    return candidates.filter { (before.object($0) == nil) != (after.object($0) == nil) }
  }

  /// Returns the objects, with the properties, that have links to those; nil: they are more than the limit.
  private func relinked(
    to flipped: Set<Identity>, _ whole: Transition, _ visibility: Visibility, limit: Int
  ) -> [Identity: Set<Int>]? {
    var found: [Identity: Set<Int>] = [:]
    for target in flipped where visibility.restricted.contains(target.objectType) {
      for step in after.layouts.links(to: target.objectType) {
        for history in [whole.before, whole.after] {
          for owner in history.referrers(step, to: target) { found[owner, default: []].insert(step.property) }
        }
        if found.count > limit { return nil }
      }
    }
    return found
  }

  /// Returns what one sees of a change of an object, whose `links` may lead to other objects now; nil: nothing.
  private func change(of identity: Identity, set: [Int] = [], _ links: Set<Int>) -> AppliedChange? {
    AppliedChange(
      of: identity, from: before.object(identity), to: after.object(identity),
      changed: set + links.filter { looksDifferent($0, of: identity) }.sorted())
  }

  /// Whether one sees that a property was set: it looks different, or was set to what it was and never leads to what is
  /// concealed. By the type: a link that is concealed, whatever becomes of it, and null must not be told apart.
  private func isSet(_ property: Int, of identity: Identity) -> Bool {
    if after.concealment?.hides(property, of: identity.objectType) == true { return false }
    return !mayConceal(property, of: identity) || looksDifferent(property, of: identity)
  }

  /// Whether objects of the class may have something in the property that is concealed.
  func mayConceal(_ property: Int, of identity: Identity) -> Bool {
    guard let visibility = after.concealment?.visibility, let layout = after.layouts[identity.objectType]
    else { return false }
    if property == layout.objectType.fieldsIndex, visibility.hiddenFields[identity.objectType] != nil {
      return true
    }
    return visibility.conceals(within: layout.objectType.properties[property].type, in: after.layouts.schema)
  }

  /// Whether a property shows something else, or showed something, at the change, that may not be seen now: who has it
  /// learns that it is gone.
  private func looksDifferent(_ property: Int, of identity: Identity) -> Bool {
    if after.concealment?.hides(property, of: identity.objectType) == true { return false }
    let shown = (
      shownBefore.object(identity)?.values[property], shownAfter.object(identity)?.values[property]
    )
    let old = before.object(identity)?.values[property]
    return shown.0 != shown.1 || old != shown.0 && old != after.object(identity)?.values[property]
  }
}

extension Identity {
  /// The order in which objects are told of.
  static func isBefore(_ left: Identity, _ right: Identity) -> Bool {
    left.objectType == right.objectType
      ? MixedOrder.compare(left.id, right.id) < 0 : left.objectType < right.objectType
  }
}
