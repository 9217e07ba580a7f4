public import Dispatch
public import Foundation
import GatehouseFeeds
import GatehouseLive
import GatehouseModel

/// A change of a collection in sections.
public enum SectionedResultsChange<Collection> {
  /// The collection to begin with.
  case initial(Collection)
  /// Rows of deleted sections are not among the deletions, those of inserted ones are among the insertions. Deletions and
  /// modifications are places as they were, insertions places as they are.
  case update(
    Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
    sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

/// The difference between two states of sections, as Realm tells it.
struct SectionsChange {
  var deletions: [IndexPath] = []
  var insertions: [IndexPath] = []
  var modifications: [IndexPath] = []
  var inserted: [Int] = []
  var deleted: [Int] = []

  var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && inserted.isEmpty && deleted.isEmpty
  }

  init<Key: Hashable>(
    from old: [(key: Key, elements: [Mixed])], to new: [(key: Key, elements: [Mixed])],
    isModified: (Mixed) -> Bool
  ) {
    let keys = CollectionDiff(from: old.map(\.key), to: new.map(\.key)) { _ in true }
    (deleted, inserted) = (keys.deletions, keys.insertions)
    for (before, after) in zip(keys.modifications, keys.modificationsNew) {
      let rows = CollectionDiff(
        from: old[before].elements, to: new[after].elements, isModified: isModified)
      deletions += rows.deletions.map { [before, $0] }
      insertions += rows.insertions.map { [after, $0] }
      for (oldRow, newRow) in zip(rows.modifications, rows.modificationsNew) {
        // Only a row that is where it was in the section of its key is a modification (C:sectioned_results.cpp).
        if oldRow == newRow {
          modifications.append([before, oldRow])
        } else {
          deletions.append([before, oldRow])
          insertions.append([after, newRow])
        }
      }
    }
    for section in inserted { insertions += new[section].elements.indices.map { [section, $0] } }
    let gone = deleted.reduce(deletions.count) { $0 + old[$1].elements.count }
    precondition(
      old.reduce(0) { $0 + $1.elements.count } - gone + insertions.count
        == new.reduce(0) { $0 + $1.elements.count }, "a difference leads from the old to the new")
    deletions.sort()
    insertions.sort()
  }
}

extension SectionGrouping {
  /// Tells of the sections to begin with, by nil, and then of their changes.
  func observe(
    _ keyPaths: [String]?, on confinement: Confinement?,
    _ tell: @escaping (RealmContext, SectionsChange?, _ old: [Key], _ new: [Key]) -> Void
  ) -> NotificationToken {
    context.checkObservable("collections", isReachable: confinement != nil)
    context.check(keyPaths, of: live)
    let steps = live.objectType.flatMap { context.steps(keyPaths, of: $0) }
    let token = NotificationToken(confinement.map { context.sibling($0) } ?? context)
    token.observe { [weak token, self] target in
      let grouping = target === context ? self : moved(to: target)
      var last: [(key: Key, elements: [Mixed])] = []
      return ResultsNotifier(grouping.live, along: steps) { update in
        guard let token, token.wantsChanges else { return }
        let new = grouping.sections.map { ($0.key, $0.elements) }
        let old = last
        last = new
        guard let update else { return tell(target, nil, [], []) }
        let change = SectionsChange(from: old, to: new, isModified: update.isModified)
        if !change.isEmpty { tell(target, change, old.map(\.key), new.map(\.0)) }
      }
    }
    return token
  }
}

extension SectionedView {
  public func _rlmObserve(
    _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map { .queue($0) }, block)
  }

  public func _rlmObserve(
    _ keyPaths: [String]?, on actor: any Actor, _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, .of(actor), block)
  }

  private func observe(
    _ keyPaths: [String]?, _ confinement: Confinement?,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    grouping.observe(keyPaths, on: confinement) { target, change, old, new in
      let view = target === grouping.context ? self : moved(to: target)
      guard let change else { return block(.initial(view)) }
      let own = ownPart(of: change, from: old, to: new)
      if own.isEmpty { return }
      block(
        .update(
          view, deletions: own.deletions, insertions: own.insertions, modifications: own.modifications,
          sectionsToInsert: IndexSet(own.inserted), sectionsToDelete: IndexSet(own.deleted)))
    }
  }
}

extension SectionsChange {
  /// The part that is about one section, by its places before and after; nil: it is not there.
  func ofSection(before: Int?, after: Int?) -> SectionsChange {
    var part = self
    part.deletions = deletions.filter { $0[0] == before }
    part.insertions = insertions.filter { $0[0] == after }
    part.modifications = modifications.filter { $0[0] == before }
    part.inserted = before == nil ? after.map { [$0] } ?? [] : []
    part.deleted = after == nil ? before.map { [$0] } ?? [] : []
    return part
  }
}

extension RealmSectionedResult {
  /// Tells of the sections, and then of their changes, until the token is invalidated.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    _rlmObserve(keyPaths, on: queue, block)
  }

  /// Tells an actor of the sections, and then of their changes, until the token is invalidated.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    _rlmObserve(keyPaths, on: actor) { change in
      let handover = NotificationToken.Handover(value: change)
      actor.assumeIsolated { block($0, handover.value) }
    }
  }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
  /// Tells of the sections, and then of their changes that concern some properties, until the token is invalidated.
  public func observe(
    keyPaths: [PartialKeyPath<Element.Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    _rlmObserve(keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
  /// Tells an actor of the sections, and then of their changes that concern some properties, until the token is invalidated.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element.Element>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}

extension RealmSectionedResult where Element: ObjectBase {
  /// Tells an actor of the section, and then of its changes that concern some properties, until the token is invalidated.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }

  /// Tells of the section, and then of its changes that concern some properties, until the token is invalidated.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    _rlmObserve(keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}
