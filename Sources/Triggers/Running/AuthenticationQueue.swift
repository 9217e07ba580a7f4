public import GatehouseBSON
public import GatehouseStorage
import Synchronization

/// The logins, and the users who came and went, that triggers have not been called for yet: records of the store, which are written in
/// the transaction of what they tell.
public final class AuthenticationQueue: Sendable {
  /// The most events that wait for one trigger: what comes on top is lost, and counted.
  static let limit = 100_000

  private struct Watcher {
    let trigger: String
    let watched: WatchedLogins
    /// About; counted anew when the queue is found empty.
    var waiting: Int
    var lost = 0
  }

  static let kind = "authentication"

  private let watchers = Mutex<[Watcher]>([])
  /// Wakes those who wait for events.
  let signal = CommitSignal()

  public init() {}

  /// Returns the records that tell the triggers which watch it of an event. `user` is as functions see users.
  ///
  /// Throws ``GatehouseStorage/StorageError/tooLarge`` where an event does not fit into a document.
  public func records(
    of operation: WatchedLogins.Operation, by providers: [String], _ user: Document, at time: Date
  ) throws(StorageError) -> [RecordChange] {
    let names = take(operation, providers)
    guard !names.isEmpty else { return [] }
    let event: Document = [
      "operationType": .string(operation.rawValue), "providers": .array(providers.map { .string($0) }),
      "user": .document(user), "time": .date(time),
    ]
    guard let bytes = try? event.bson() else { throw .tooLarge }
    return names.map { RecordChange(AuthenticationQueue.name($0, ObjectID.generate().description), bytes) }
  }

  /// Called when records of ``records(of:by:_:at:)`` have been committed.
  public func didAppend() { signal.send() }

  /// The triggers that are told of an event.
  private func take(_ operation: WatchedLogins.Operation, _ providers: [String]) -> [String] {
    watchers.withLock { watchers in
      var names: [String] = []
      for index in watchers.indices where watchers[index].watched.includes(operation, providers) {
        if watchers[index].waiting < AuthenticationQueue.limit {
          watchers[index].waiting += 1
          names.append(watchers[index].trigger)
        } else {
          watchers[index].lost += 1
        }
      }
      precondition(Set(names).count == names.count, "a trigger is told of an event once")
      return names
    }
  }

  static func name(_ trigger: String, _ id: String) -> Record.Name { Record.Name(kind, "\(trigger)/\(id)") }

  /// Has a trigger be told from now on. `waiting` is how many events wait for it.
  func watch(_ watched: WatchedLogins, for trigger: String, waiting: Int) {
    precondition(waiting >= 0, "no fewer than no events wait")
    watchers.withLock { watchers in
      watchers.removeAll { $0.trigger == trigger }
      watchers.append(Watcher(trigger: trigger, watched: watched, waiting: waiting))
    }
  }

  func stopWatching(for trigger: String) {
    watchers.withLock { $0.removeAll { $0.trigger == trigger } }
  }

  /// Notes that so many events wait for a trigger.
  func setWaiting(_ count: Int, for trigger: String) {
    watchers.withLock { watchers in
      for index in watchers.indices where watchers[index].trigger == trigger {
        watchers[index].waiting = count
      }
    }
  }

  /// About as many events as wait for a trigger.
  func waiting(for trigger: String) -> Int {
    watchers.withLock { watchers in watchers.first { $0.trigger == trigger }?.waiting ?? 0 }
  }

  /// Events of a trigger that were lost since the start of the process, as too many waited.
  func lost(for trigger: String) -> Int {
    watchers.withLock { watchers in watchers.first { $0.trigger == trigger }?.lost ?? 0 }
  }
}

extension WatchedLogins {
  fileprivate func includes(_ operation: Operation, _ given: [String]) -> Bool {
    self.operation == operation && (providers.isEmpty || providers.contains(where: given.contains))
  }
}
