import CGatehouseMemory
import GatehouseScheduling
import Synchronization

/// Gives back to the system what large requests have left with the C library: each thread's arena keeps what it has once had.
///
/// It looks through all arenas, some milliseconds for a hundred megabytes: so it is done on a queue of its own, once for all requests
/// that end within a second. By then their values are gone, too.
final class MemoryTrim: Sendable {
  private let isDue = Atomic(false)
  private let lane: any Lane

  init(on scheduler: any Scheduler) { lane = scheduler.makeLane("gatehouse.memory", priority: .utility) }

  /// Has memory given back soon.
  func request() {
    guard !isDue.exchange(true, ordering: .relaxed) else { return }
    lane.async(after: .seconds(1)) { [self] in
      isDue.store(false, ordering: .relaxed)
      memory_trim()
    }
  }
}
