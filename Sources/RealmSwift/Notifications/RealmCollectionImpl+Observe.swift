public import Dispatch
import GatehouseFeeds
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A change of a collection.
public enum RealmCollectionChange<CollectionType> {
  /// The collection to begin with.
  case initial(CollectionType)
  /// Deletions and modifications are places in the collection as it was, insertions in the collection as it is.
  case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
  /// It never comes.
  case error(any Error)
}

extension RealmCollectionImpl {
  private var observed: (context: RealmContext, live: LiveResults) {
    guard case .managed(let context, let live) = source else {
      if isDetached { fatalError("Linking objects notifications are only supported on managed objects.") }
      fatalError("Change notifications are only supported on managed collections.")
    }
    return (context, live)
  }

  public func _rlmObserve(
    _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map { .queue($0) }, block)
  }

  public func _rlmObserve(
    _ keyPaths: [String]?, on actor: any Actor, _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: .of(actor), block)
  }

  private func observe(
    _ keyPaths: [String]?, on confinement: Confinement?,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    let (context, live) = observed
    context.checkObservable("collections", isReachable: confinement != nil)
    context.check(keyPaths, of: live)
    let token = NotificationToken(confinement.map { context.sibling($0) } ?? context)
    token.observe { [weak token, self] target in
      // The collection is the same one where it was asked for.
      let collection = target === context ? self : self.moved(to: target) ?? self
      let steps = live.objectType.flatMap { target.steps(keyPaths, of: $0) }
      return ResultsNotifier(live.in(target.live), along: steps) { update in
        guard let token, token.wantsChanges else { return }
        guard let update else { return block(.initial(collection)) }
        block(
          .update(
            collection, deletions: update.diff.deletions, insertions: update.diff.insertions,
            modifications: update.diff.modifications))
      }
    }
    return token
  }
}

extension RealmCollection {
  /// Tells of the collection, and then of its changes, until the token is invalidated.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    _rlmObserve(keyPaths, on: queue, block)
  }

  /// Tells an actor of the collection, and then of its changes, until the token is invalidated.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    _rlmObserve(keyPaths, on: actor) { change in
      let handover = NotificationToken.Handover(value: change)
      actor.assumeIsolated { block($0, handover.value) }
    }
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Tells of the collection, and then of its changes that concern some properties, until the token is invalidated.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    _rlmObserve(keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Tells an actor of the collection, and then of its changes that concern some properties, until the token is invalidated.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    _rlmObserve(keyPaths.map { _name(for: $0) }, on: actor) { change in
      let handover = NotificationToken.Handover(value: change)
      actor.assumeIsolated { block($0, handover.value) }
    }
  }
}
