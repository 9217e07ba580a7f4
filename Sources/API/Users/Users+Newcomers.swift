import Access
import BSON
import Storage
import Synchronization

/// Who makes new users, and how many of these have no name.
struct Newcomers: Sendable {
  /// Users that were made by addresses.
  var byAddress: AttemptLimit
  /// How many anonymous users there are, about; nil: they have to be counted.
  var anonymous: Int?
  /// When they were counted, in seconds.
  var counted: Int64 = .min

  init(_ limits: Users.Limits) {
    byAddress = AttemptLimit(limit: limits.newPerAddress, period: 3_600)
  }
}

extension Users {
  /// Counts a user who is about to be made. Throws ``UserError/tooManyUsers(seconds:)``.
  func countNewcomer(from client: UInt64) throws(UserError) {
    guard limits.newPerAddress > 0 else { return }
    let now = clock().seconds
    if let wait = newcomers.withLock({ $0.byAddress.count(client, at: now) }) {
      throw .tooManyUsers(seconds: wait)
    }
  }

  /// Makes sure that there may be one more anonymous user. Throws ``UserError/tooManyUsers(seconds:)``.
  func admitAnonymous() async throws {
    guard limits.anonymous > 0 else { return }
    let now = clock().seconds
    let (count, isFresh) = newcomers.withLock { newcomers in
      (newcomers.anonymous, (0..<60).contains(now &- newcomers.counted))
    }
    if let count, count < limits.anonymous {
      newcomers.withLock { $0.anonymous = count + 1 }
      return
    }
    // Some may have gone meanwhile; but to count them takes a while.
    if count != nil, isFresh { throw UserError.tooManyUsers(seconds: 60) }
    let found = try await read { records in
      try records.reader.countRecords("identity", withPrefix: "\(User.Identity.anonymous)/")
    }
    let hasRoom = found < limits.anonymous
    newcomers.withLock { newcomers in
      newcomers.anonymous = hasRoom ? found + 1 : found
      newcomers.counted = now
    }
    guard hasRoom else { throw UserError.tooManyUsers(seconds: 60) }
  }
}
