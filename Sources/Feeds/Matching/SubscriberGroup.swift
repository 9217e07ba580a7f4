import GatehouseModel
import GatehouseQuery

/// The subscribers that watch the same in the same shape, and what they are to be told next.
final class SubscriberGroup {
  /// Unique as long as the process runs.
  let number: Int
  let subscription: Subscription
  /// In the terms of the schema as it is now.
  private(set) var shape: Shape
  /// The visibility of those who watch, in the same terms; nil: they may see everything.
  private(set) var visibility: Visibility?
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
    visibility = bound.rules?.visibility
  }

  /// Takes the frames that have not been handed on.
  func takeEncoded() -> EncodedEvents {
    defer { (encoded, events) = (EncodedEvents(), 0) }
    return encoded
  }

  /// Forgets what has not been handed on: those who watch are to read anew.
  func discard() {
    (encoded, events) = (EncodedEvents(), 0)
    (touched, isTouchedAnywhere) = ([], false)
  }

  /// Takes over the terms of another schema.
  func rebind(_ bound: BoundSubscription) {
    shape = bound.shape
    visibility = bound.rules?.visibility
  }

  /// Returns whether the object was among those that were not shown, of which it is none any more.
  private func forget(_ identity: Identity) -> Bool {
    guard concealed.remove(identity) != nil else { return false }
    concealedSize -= identity.memorySize
    precondition(concealedSize >= 0, "the objects that are remembered are counted")
    return true
  }

  private func conceal(_ identity: Identity) {
    guard concealedSize + identity.memorySize <= SubscriberGroup.concealedLimit,
      concealed.insert(identity).inserted
    else { return }
    concealedSize += identity.memorySize
  }

  /// Whether an event of the past is to be told: one that shows the object where it may be seen now, and one that takes it
  /// away, unless the object was never shown. Those beyond the limit are taken away also where they were not shown.
  func reports(_ outcome: Outcome, of identity: Identity, maySee: Bool) -> Bool {
    switch outcome {
    case .insert, .matched, .update:
      if maySee { _ = forget(identity) } else if outcome != .update { conceal(identity) }
      return maySee
    case .delete, .unmatched: return !forget(identity)
    }
  }
}
