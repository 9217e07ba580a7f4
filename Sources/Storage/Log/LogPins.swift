import GatehouseSharing
import GatehouseTelemetry
import Synchronization

/// The versions that the change log reaches back to for a while, since somebody reads the store as it was then.
///
/// A log that is twice as large as it may be is shortened all the same, as is any on a full disk.
final class LogPins: Sendable {
  private struct Pin {
    let version: Int64
    let caller: Caller
    /// On the monotonic clock, in nanoseconds.
    let end: UInt64
  }

  /// The most pins, and the most of one caller, whose oldest one ends for a new one.
  static let capacity = 1_024
  static let capacityOfCaller = 4
  /// How long a pin lasts, in seconds.
  static let lifetime: UInt64 = 600

  private let pins = Mutex<[Pin]>([])

  /// Adds a pin. Throws ``StorageError/refused(_:)`` where there are too many.
  func add(
    _ version: Int64, for caller: Caller, at now: UInt64 = MonotonicClock.now()
  ) throws(StorageError) {
    let isAdded = pins.withLock { pins in
      pins.removeAll { $0.end <= now }
      let own = pins.indices.filter { pins[$0].caller == caller }
      if own.count >= LogPins.capacityOfCaller { pins.remove(at: own[0]) }
      guard pins.count < LogPins.capacity else { return false }
      pins.append(Pin(version: version, caller: caller, end: now + LogPins.lifetime * 1_000_000_000))
      precondition(pins.count <= LogPins.capacity, "the number of pins is bounded")
      return true
    }
    if !isAdded { throw .refused(.exhausted) }
  }

  /// The oldest version that is pinned; nil: none is.
  func oldest(at now: UInt64 = MonotonicClock.now()) -> Int64? {
    pins.withLock { pins in
      if pins.isEmpty { return nil }
      pins.removeAll { $0.end <= now }
      return pins.map(\.version).min()
    }
  }
}
