import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// The objects that may enter or leave a filter, or be updated, because of one change. Collected before the iterator
/// passes the change, since afterwards it cannot be asked which objects matched.
struct PendingMatch {
  /// An object from which links lead to the changed one.
  private struct Distant {
    let identity: Identity
    /// Whether it matched; nil: as it does afterwards.
    var matched: Bool?
    /// Its properties by which the change counts as one of its own.
    var changed: [Int]
  }

  let node: FilterNode
  /// Whether the changed object matched; nil: its own values will tell.
  private let matched: Bool?
  private var distant: [Distant] = []
  /// Whether the change concerns more than the limit. Clients do better to read anew.
  private(set) var isTooMuch = false

  init(
    _ node: FilterNode, _ applied: AppliedChange, isCandidate: Bool, limit: Int,
    in history: HistoricalSnapshot
  ) {
    self.node = node
    let filter = node.filter
    let matching = filter.matching.filter { $0.end == applied.identity.objectType }
    let isDeep = !matching.isEmpty
    matched =
      isCandidate && isDeep
      ? applied.before.map { filter.matches(HistoricalObject(state: $0, history: history)) } ?? false : nil
    var found: [Identity: [Int]] = [:]
    for linkPath in filter.dependencies.linkPaths
    where linkPath.end == applied.identity.objectType && applied.counts(for: linkPath) {
      let property = linkPath.steps[0].property
      for origin in history.origins(of: linkPath, to: applied.identity, applied.before, applied.after) {
        if found[origin]?.contains(property) != true { found[origin, default: []].append(property) }
      }
    }
    for linkPath in matching {
      for origin in history.origins(of: linkPath, to: applied.identity, applied.before, applied.after) {
        found[origin, default: []] += []
      }
    }
    found[applied.identity] = nil
    guard found.count <= limit else {
      isTooMuch = true
      return
    }
    for (identity, changed) in found.sorted(by: { MixedOrder.compare($0.key.id, $1.key.id) < 0 })
    where filter.mayHave(identity) {
      var matched: Bool?
      if isDeep {
        matched =
          history.object(identity).map { filter.matches(HistoricalObject(state: $0, history: history)) }
          ?? false
      }
      distant.append(Distant(identity: identity, matched: matched, changed: changed.sorted()))
    }
  }

  /// Calls `body` with what the change is to each object other than the changed one, in order, up to the first of which
  /// that cannot be found out.
  func forEachLinkedEvent(
    of applied: AppliedChange, in history: HistoricalSnapshot, _ body: (ChangeEvent) -> Void
  ) {
    var part = 0
    for item in distant {
      guard let state = history.object(item.identity) else { continue }
      let matches = node.filter.matches(HistoricalObject(state: state, history: history))
      if history.failure != nil { return }
      let outcome: Outcome
      switch (item.matched ?? matches, matches) {
      case (false, false): continue
      case (true, true) where item.changed.isEmpty: continue
      case (true, true): outcome = .update
      case (false, true): outcome = .matched
      case (true, false): outcome = .unmatched
      }
      body(
        ChangeEvent(
          stamp: EventStamp(applied.change, part: part), outcome: outcome,
          objectType: item.identity.objectType, id: item.identity.id, before: state, after: state,
          changed: item.changed, isOwn: false))
      part += 1
    }
  }

  /// Returns the event of the changed object; nil: none.
  func ownEvent(
    of applied: AppliedChange, from old: HistoricalObject?, to new: HistoricalObject?
  ) -> ChangeEvent? {
    guard let outcome = node.filter.outcome(old, new, matched: matched) else { return nil }
    if outcome == .update, !node.filter.dependencies.counts(applied.changed) { return nil }
    return applied.event(outcome)
  }
}

extension AppliedChange {
  func event(_ outcome: Outcome) -> ChangeEvent {
    ChangeEvent(
      stamp: EventStamp(change), outcome: outcome, objectType: identity.objectType,
      id: identity.id, before: before, after: after, changed: changed, isOwn: true)
  }
}
