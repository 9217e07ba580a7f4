public import GatehouseAccess
public import GatehouseBSON
public import GatehouseCrypto
public import GatehouseStorage

/// The users of the gateways of a server, and how they log in: one for all event loops.
public final class Users: Sendable {
  /// Bounds on the number of users. 0: as many as there are.
  public struct Limits: Hashable, Sendable {
    /// Anonymous users.
    public var anonymous = 100_000
    /// Users that one address may make in an hour: anonymous ones, and accounts.
    public var newPerAddress = 1_000
    /// Days after which an anonymous user who was not there is deleted.
    public var anonymousDays = 60

    public init() {}
  }

  /// Told of users and sessions that are none any more.
  let revocations = Revocations()
  let clock: @Sendable () -> Date
  private let providers: ProvidersInForce
  let hashes: PasswordHashes
  let sessions: Sessions
  let accounts: Accounts
  let logins: Logins
  let keys: UserKeys
  let profiles: Profiles
  private let purging: UserPurge

  /// Reads the keys that tokens are signed with, or makes them.
  ///
  /// - Parameters:
  ///   - cost: What a password hash costs; nil: about a tenth of a second on this machine.
  ///   - hashers: Password hashes that are computed at once.
  public init(
    _ store: Store, providers: Providers, limits: Limits = Limits(), cost: ScryptCost? = nil,
    hashers: Int = 2,
    clock: @escaping @Sendable () -> Date = { .now }
  ) async throws(StorageError) {
    self.clock = clock
    let providers = ProvidersInForce(providers)
    self.providers = providers
    let users = UserStore(store: store, clock: clock)
    let registrations = RegistrationLimits(limits, users)
    let attempts = LoginAttempts(clock: clock)
    hashes = PasswordHashes(users, cost: cost, hashers: hashers)
    sessions = Sessions(store: users, signer: try await TokenSigner(users), revocations: revocations)
    accounts = Accounts(
      store: users, providers: providers, hashes: hashes, attempts: attempts,
      registrations: registrations,
      revocations: revocations)
    logins = Logins(
      store: users, providersInForce: providers, sessions: sessions, accounts: accounts, attempts: attempts,
      registrations: registrations)
    keys = UserKeys(store: users, sessions: sessions, revocations: revocations)
    profiles = Profiles(store: users, sessions: sessions, revocations: revocations)
    purging = UserPurge(store: users, limits: limits, registrations: registrations, revocations: revocations)
  }

  /// Has users log in by other providers from now on. Sessions that have begun go on.
  public func use(_ newProviders: Providers) {
    providers.replace(by: newProviders)
  }

  /// Removes sessions whose tokens have ended, and anonymous users who have no session and no key: nobody can be them
  /// again. It takes a while, and writers come in between.
  public func purge() async throws {
    try await purging.run()
  }
}
