public import Dispatch
import GatehouseLive

/// A change of a map.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
  /// The map to begin with.
  case initial(Collection)
  /// The keys that have gone, come, or got another value.
  case update(
    Collection, deletions: [Collection.Key], insertions: [Collection.Key], modifications: [Collection.Key])
  /// It never comes.
  case error(any Error)
}

extension Map {
  /// Tells of the map, and then of its changes, until the token is invalidated.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map { .queue($0) }, block)
  }

  /// Tells an actor of the map, and then of its changes, until the token is invalidated.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken {
    observe(keyPaths, on: .of(actor)) { change in
      let handover = NotificationToken.Handover(value: change)
      actor.assumeIsolated { block($0, handover.value) }
    }
  }

  fileprivate func observe(
    _ keyPaths: [String]?, on confinement: Confinement?, _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken {
    guard let place else { fatalError("Change notifications are only supported on managed collections.") }
    place.check()
    let context = place.context
    context.checkObservable("collections", isReachable: confinement != nil)
    let target = place.property.isOfObjects ? place.property.objectClassName : nil
    _ = context.steps(keyPaths, of: target ?? place.className)
    let token = NotificationToken(confinement.map { context.sibling($0) } ?? context)
    token.observe { [weak token, self] realm in
      let map = realm === context ? self : self.moved(to: realm) ?? self
      let place = map.place ?? place
      return MapNotifier(
        of: place.column, of: place.row, inside: place.mixed, in: realm.live,
        along: target.flatMap { realm.steps(keyPaths, of: $0) }
      ) { update in
        guard let token, token.wantsChanges else { return }
        guard let update else { return block(.initial(map)) }
        block(
          .update(
            map, deletions: update.deletions.compactMap { Key._rlmFromAny($0) },
            insertions: update.insertions.compactMap { Key._rlmFromAny($0) },
            modifications: update.modifications.compactMap { Key._rlmFromAny($0) }))
      }
    }
    return token
  }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
  /// Tells an actor of the map, and then of its changes that concern some properties, until the token is invalidated.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Value.Wrapped>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}
