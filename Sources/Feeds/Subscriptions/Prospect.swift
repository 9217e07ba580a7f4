import Model
import Query
import Storage

/// What a change may be to those who watch a filter, as far as that has to be asked before the walk passes it.
struct Prospect {
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

  init(_ node: FilterNode, _ passage: Passage, isCandidate: Bool, limit: Int, _ scene: Scene) {
    self.node = node
    let filter = node.filter
    let matching = filter.matching.filter { $0.end == passage.identity.objectType }
    let isDeep = !matching.isEmpty
    matched =
      isCandidate && isDeep
      ? passage.before.map { filter.matches(PastObject(state: $0, scene: scene)) } ?? false : nil
    var found: [Identity: [Int]] = [:]
    for way in filter.reach.ways where way.end == passage.identity.objectType && passage.counts(for: way) {
      let property = way.steps[0].property
      for origin in scene.origins(of: way, to: passage.identity, passage.before, passage.after) {
        if found[origin]?.contains(property) != true { found[origin, default: []].append(property) }
      }
    }
    for way in matching {
      for origin in scene.origins(of: way, to: passage.identity, passage.before, passage.after) {
        found[origin, default: []] += []
      }
    }
    found[passage.identity] = nil
    guard found.count <= limit else {
      isTooMuch = true
      return
    }
    for (identity, changed) in found.sorted(by: { MixedOrder.compare($0.key.id, $1.key.id) < 0 })
    where filter.mayHave(identity) {
      var matched: Bool?
      if isDeep {
        matched = scene.object(identity).map { filter.matches(PastObject(state: $0, scene: scene)) } ?? false
      }
      distant.append(Distant(identity: identity, matched: matched, changed: changed.sorted()))
    }
  }

  /// Calls `body` with what the change is to each object other than the changed one, in order, up to the first of which
  /// that cannot be found out.
  func forEachDistantTelling(_ passage: Passage, _ scene: Scene, _ body: (Telling) -> Void) {
    var part = 0
    for item in distant {
      guard let state = scene.object(item.identity) else { continue }
      let matches = node.filter.matches(PastObject(state: state, scene: scene))
      if scene.failure != nil { return }
      let outcome: Outcome
      switch (item.matched ?? matches, matches) {
      case (false, false): continue
      case (true, true) where item.changed.isEmpty: continue
      case (true, true): outcome = .update
      case (false, true): outcome = .matched
      case (true, false): outcome = .unmatched
      }
      body(
        Telling(
          position: EventPosition(passage.change.position, part: part), outcome: outcome,
          objectType: item.identity.objectType, id: item.identity.id, before: state, after: state,
          changed: item.changed, isOwn: false))
      part += 1
    }
  }

  /// What the change is to the changed object.
  func ownTelling(_ passage: Passage, _ old: PastObject?, _ new: PastObject?) -> Telling? {
    guard let outcome = node.filter.outcome(old, new, matched: matched) else { return nil }
    if outcome == .update, !node.filter.reach.counts(passage.changed) { return nil }
    return passage.telling(outcome)
  }
}

extension Passage {
  func telling(_ outcome: Outcome) -> Telling {
    Telling(
      position: EventPosition(change.position), outcome: outcome, objectType: identity.objectType,
      id: identity.id, before: before, after: after, changed: changed, isOwn: true)
  }
}
