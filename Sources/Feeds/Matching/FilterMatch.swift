import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// The objects that enter or leave a filter, or are updated, because of one change.
struct FilterMatch {
  /// An object other than the one that the log says has changed.
  fileprivate struct Candidate {
    /// Its properties that look different, or that lead to what does.
    var changed: [Int] = []
    /// Whether it looks different itself.
    var isOwn = false
  }

  private let filter: Filter
  private let transition: Transition
  private var candidates: [(identity: Identity, candidate: Candidate)] = []
  /// The properties that lead from the changed object to others that look different, and those that lead to itself.
  private var links: [Int] = []
  private var ownLinks: [Int] = []
  /// Whether the change concerns more than the limit. Clients do better to read anew.
  private(set) var isTooMuch = false

  init(_ filter: Filter, _ transition: Transition, limit: Int) {
    self.filter = filter
    self.transition = transition
    var found: [Identity: Candidate] = [:]
    for change in transition.changes { note(change, in: &found) }
    if transition.own != nil { links = found.removeValue(forKey: transition.identity)?.changed ?? [] }
    guard found.count <= limit else {
      isTooMuch = true
      return
    }
    candidates = found.filter { filter.mayHave($0.key) }
      .sorted { Identity.isBefore($0.key, $1.key) }.map { (identity: $0.key, candidate: $0.value) }
  }

  /// Notes an object that looks different, and those from which ways lead to it.
  private mutating func note(_ change: AppliedChange, in found: inout [Identity: Candidate]) {
    let (identity, objectType) = (change.identity, change.identity.objectType)
    if identity != transition.identity, filter.objectType ?? objectType == objectType {
      found[identity, default: Candidate()].isOwn = true
      if filter.dependencies.counts(change) { found[identity]?.add(change.changed) }
    }
    for linkPath in filter.dependencies.linkPaths
    where linkPath.end == objectType && change.counts(for: linkPath) {
      let property = linkPath.steps[0].property
      for origin in transition.shownOrigins(of: linkPath, to: change) {
        if origin != identity {
          found[origin, default: Candidate()].add([property])
        } else if identity == transition.identity {
          if !ownLinks.contains(property) { ownLinks.append(property) }
        } else if !filter.dependencies.counts(change) {
          found[origin, default: Candidate()].add(change.changed + [property])
        }
      }
    }
    for linkPath in filter.matching where linkPath.end == objectType {
      for origin in transition.origins(of: linkPath, to: change) where origin != identity {
        found[origin, default: Candidate()].add([])
      }
    }
  }

  /// Calls `body` with what the change is to each object other than the changed one, in order, up to the first of which
  /// that cannot be found out.
  func forEachLinkedEvent(_ body: (ChangeEvent) -> Void) {
    let mayFlip =
      transition.isGuarded || filter.matching.contains { $0.end == transition.identity.objectType }
    var part = 0
    for (identity, candidate) in candidates {
      let (before, after) = transition.states(of: identity)
      let matches = filter.matches(after, in: transition.after)
      let matched = mayFlip ? filter.matches(before, in: transition.before) : matches
      if transition.after.failure != nil { return }
      guard let outcome = filter.outcome(from: matched, to: matches, by: .update),
        outcome != .update || !candidate.changed.isEmpty
      else { continue }
      let shown = transition.isGuarded ? transition.shownStates(of: identity) : (before, after)
      body(
        ChangeEvent(
          stamp: EventStamp(transition.logged, part: part), outcome: outcome,
          objectType: identity.objectType, id: identity.id, before: shown.0, after: shown.1,
          changed: candidate.changed.sorted(), isOwn: candidate.isOwn))
      part += 1
    }
  }

  /// Returns the event of the changed object; nil: none.
  var ownEvent: ChangeEvent? { filter.ownEvent(of: transition, links: links, ownLinks) }
}

extension FilterMatch.Candidate {
  fileprivate mutating func add(_ properties: [Int]) {
    for property in properties where !changed.contains(property) { changed.append(property) }
  }
}

extension Filter {
  /// Returns the event of the object that the log says has changed; nil: none. Its links may lead to others that look
  /// different, or to itself, which counts where nothing else does.
  fileprivate func ownEvent(of transition: Transition, links: [Int], _ ownLinks: [Int]) -> ChangeEvent? {
    guard let own = transition.own, objectType ?? own.identity.objectType == own.identity.objectType,
      mayHave(own.identity)
    else { return nil }
    let matched = matches(own.before, in: transition.before)
    let matches = matches(own.after, in: transition.after)
    let links = dependencies.counts(own) ? links : links + ownLinks
    guard let outcome = outcome(from: matched, to: matches, by: transition.logged.operation),
      outcome != .update || dependencies.counts(own) || !links.isEmpty
    else { return nil }
    let shown =
      transition.isGuarded ? transition.shownStates(of: own.identity) : (own.before, own.after)
    return ChangeEvent(
      stamp: EventStamp(transition.logged), outcome: outcome, objectType: own.identity.objectType,
      id: own.identity.id, before: shown.0, after: shown.1,
      changed: own.changed + links.filter { !own.changed.contains($0) }, isOwn: true,
      isReplacement: transition.logged.isReplacement)
  }
}
