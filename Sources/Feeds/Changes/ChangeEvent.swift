import GatehouseModel
import GatehouseStorage

/// A change as it is told to those who watch an object.
struct ChangeEvent {
  let stamp: EventStamp
  let outcome: Outcome
  let objectType: String
  let id: Mixed
  let before: ObjectState?
  let after: ObjectState?
  /// The object's own properties that changed, or that lead to what changed.
  let changed: [Int]
  /// Whether it is the object itself that changed.
  let isOwn: Bool
  /// Whether an update gave the whole object another state.
  var isReplacement = false
}
