import GatehouseBSON
import GatehouseStorage

/// The place in the log of that which an event tells, and its time: every frame of an event begins with them.
struct EventStamp: Hashable {
  let position: EventPosition
  /// The time of the commit that made the change; nil for a state, which any number of commits made.
  let time: Date?

  /// Stands for a change, or for the object with the number `part` that it concerns through links.
  init(_ change: LoggedChange, part: Int? = nil) {
    position = EventPosition(change.position, part: part)
    time = change.time
  }

  /// Stands for a state of the store.
  init(stateAt position: LogPosition) {
    self.position = EventPosition(position)
    time = nil
  }
}
