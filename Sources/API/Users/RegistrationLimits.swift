import GatehouseAccess
import GatehouseBSON
import GatehouseStorage
import Synchronization

/// Bounds who makes new users, and how many of these have no name.
final class RegistrationLimits: Sendable {
  private struct State {
    /// Users that were made by addresses.
    var byAddress: AttemptLimit
    /// The number of anonymous users, about; nil: they have to be counted.
    var anonymous: Int?
    /// The time at which they were counted, in seconds.
    var counted: Int64 = .min
  }

  private let limits: Users.Limits
  private let store: UserStore
  private let state: Mutex<State>

  init(_ limits: Users.Limits, _ store: UserStore) {
    self.limits = limits
    self.store = store
    state = Mutex(State(byAddress: AttemptLimit(limit: limits.newPerAddress, period: 3_600)))
  }

  /// Counts a user who is about to be made. Throws ``UserError/tooManyUsers(seconds:)``.
  func count(from client: UInt64) throws(UserError) {
    guard limits.newPerAddress > 0 else { return }
    let now = store.clock().seconds
    if let wait = state.withLock({ $0.byAddress.count(client, at: now) }) {
      throw .tooManyUsers(seconds: wait)
    }
  }

  /// Makes sure that there may be one more anonymous user. Throws ``UserError/tooManyUsers(seconds:)``.
  func admitAnonymous() async throws {
    guard limits.anonymous > 0 else { return }
    let now = store.clock().seconds
    let (count, isFresh) = state.withLock { state in
      (state.anonymous, (0..<60).contains(now &- state.counted))
    }
    if let count, count < limits.anonymous {
      state.withLock { $0.anonymous = count + 1 }
      return
    }
    // Some may have gone meanwhile; but to count them takes a while.
    if count != nil, isFresh { throw UserError.tooManyUsers(seconds: 60) }
    let found = try await store.read { records in
      try records.reader.countRecords("identity", withPrefix: "\(User.Identity.anonymous)/")
    }
    let hasRoom = found < limits.anonymous
    state.withLock { state in
      state.anonymous = hasRoom ? found + 1 : found
      state.counted = now
    }
    guard hasRoom else { throw UserError.tooManyUsers(seconds: 60) }
  }

  /// Has anonymous users counted anew, after some have gone.
  func recount() {
    state.withLock { $0.anonymous = nil }
  }
}
