public import GatehouseSharing
import Synchronization

/// The part of one store in the subscribers that several may have together: each has as many as are still free.
public struct SubscriberPlaces: Hashable, Sendable {
  /// The places of all stores.
  public final class Pool: Sendable {
    fileprivate let holdings: Mutex<Holdings>

    public init(capacity: Int) {
      holdings = Mutex(Holdings(capacity: capacity))
    }
  }

  private let pool: Pool
  private let holder: Caller

  /// - Parameter holder: The store, as a caller of the pool.
  public init(in pool: Pool, for holder: Caller) {
    (self.pool, self.holder) = (pool, holder)
  }

  /// Takes a place; false: there is none.
  func take() -> Bool {
    pool.holdings.withLock { holdings in
      do throws(SharingError) {
        try holdings.take(1, for: holder)
        return true
      } catch {
        return false
      }
    }
  }

  /// Gives a place back.
  func give() { pool.holdings.withLock { $0.give(1, of: holder) } }

  public static func == (one: SubscriberPlaces, other: SubscriberPlaces) -> Bool {
    one.pool === other.pool && one.holder == other.holder
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(pool))
    hasher.combine(holder)
  }
}
