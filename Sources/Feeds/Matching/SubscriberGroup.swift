import GatehouseModel
import GatehouseQuery

/// The subscribers that watch the same in the same shape, and what they are to be told next.
final class SubscriberGroup {
  /// Unique as long as the process runs.
  let number: Int
  let subscription: Subscription
  /// In the terms of the schema as it is now.
  var shape: Shape
  /// The condition under which those who watch see an object, in the same terms; nil: none.
  var restriction: Predicate?
  /// The objects that began to match in the past and were not shown, since they may not be seen now.
  private var concealed: Set<Identity> = []
  /// The bytes that these take, about.
  private(set) var concealedSize = 0
  /// Frames that have not been handed to the loops, and what they show.
  var encoded = EncodedEvents()
  var events = 0
  /// The objects that have changed since somebody looked, where results are watched.
  var touched: Set<Mixed> = []
  /// Whether more have than are named.
  var isTouchedAnywhere = false

  /// The bytes of concealed objects that are remembered.
  private static let concealedLimit = 64 << 10

  init(number: Int, _ subscription: Subscription, _ bound: BoundSubscription) {
    self.number = number
    self.subscription = subscription
    shape = bound.shape
    restriction = bound.restriction
  }

  /// Takes the frames that have not been handed on.
  func takeEncoded() -> EncodedEvents {
    defer { (encoded, events) = (EncodedEvents(), 0) }
    return encoded
  }

  /// Takes over the terms of another schema.
  func rebind(_ bound: BoundSubscription) {
    shape = bound.shape
    restriction = bound.restriction
  }

  /// Forgets that an object was concealed: it is shown.
  func reveal(_ identity: Identity) {
    if !concealed.isEmpty { _ = forget(identity) }
  }

  /// Returns whether the object was among those that were concealed, of which it is none any more.
  private func forget(_ identity: Identity) -> Bool {
    guard concealed.remove(identity) != nil else { return false }
    concealedSize -= identity.memorySize
    return true
  }

  private func conceal(_ identity: Identity) {
    guard concealedSize + identity.memorySize <= SubscriberGroup.concealedLimit,
      concealed.insert(identity).inserted
    else { return }
    concealedSize += identity.memorySize
  }

  /// Whether an event of the past is to be told, whose object may not be seen now: one that takes an object away, unless
  /// the object was never shown. Those beyond the limit are taken away also where they were not shown.
  func reportsConcealed(_ outcome: Outcome, of identity: Identity) -> Bool {
    switch outcome {
    case .insert, .matched:
      conceal(identity)
      return false
    case .update: return false
    case .delete, .unmatched: return !forget(identity)
    }
  }
}
