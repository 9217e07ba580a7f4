public import GatehouseAccess
public import GatehouseBSON
public import GatehouseCrypto
public import GatehouseOutbound
public import GatehouseStorage
public import GatehouseTriggers

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
    /// Password hashes that are computed at once.
    public var hashers = 2

    public init() {}
  }

  /// The ways to other servers.
  public struct Outbound: Sendable {
    /// Reaches the issuers of tokens; nil: users who need one cannot log in.
    public var client: HTTPClient?
    /// Takes mails that are to be sent; nil: none is.
    public var mail: AccountMail.Post?

    public init(client: HTTPClient? = nil, mail: AccountMail.Post? = nil) {
      (self.client, self.mail) = (client, mail)
    }
  }

  /// Told of users and sessions that are none any more.
  let revocations = Revocations()
  /// Tells triggers of logins, and of users who come and go.
  public let events = AuthenticationQueue()
  private let customData = CustomUserData()
  let clock: @Sendable () -> Date
  let providers: ProvidersInForce
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
  ///   - outbound: The ways to other servers.
  public init(
    _ store: Store, providers: Providers, limits: Limits = Limits(), cost: ScryptCost? = nil,
    outbound: Outbound = Outbound(),
    clock: @escaping @Sendable () -> Date = { .now }
  ) async throws(StorageError) {
    self.clock = clock
    let providers = ProvidersInForce(providers)
    self.providers = providers
    let users = UserStore(store: store, clock: clock)
    let registrations = RegistrationLimits(limits, users)
    let attempts = LoginAttempts(clock: clock)
    hashes = PasswordHashes(users, cost: cost, hashers: limits.hashers, on: store.scheduler)
    sessions = Sessions(
      store: users, signer: try await TokenSigner(users), revocations: revocations, events: events,
      customData: customData)
    accounts = Accounts(
      store: users, providers: providers, hashes: hashes, attempts: attempts,
      registrations: registrations,
      revocations: revocations, letters: AccountLetters(outbound.mail, clock: clock))
    let peer = LoginPeer(outbound.client)
    logins = Logins(
      store: users, providersInForce: providers, sessions: sessions, accounts: accounts, attempts: attempts,
      registrations: registrations,
      foreign: ForeignLogins(peer: peer, keys: IssuerKeys(peer, clock: clock), clock: clock))
    keys = UserKeys(store: users, sessions: sessions, revocations: revocations)
    profiles = Profiles(store: users, sessions: sessions, revocations: revocations)
    purging = UserPurge(store: users, limits: limits, registrations: registrations, revocations: revocations)
  }

  /// Sends the mails once more that had not left when the server ended. Called once, at its start; where the store follows another one,
  /// they are that one's to send.
  public func sendLettersAgain() async throws {
    guard sessions.store.store.isWritable else { return }
    try await accounts.sendLettersAgain()
  }

  /// Does what has to be written before users log in at a node of a cluster that begins to lead.
  public func lead() async throws {
    try await sessions.signer.prepare()
    try await sendLettersAgain()
  }

  /// Has users log in by other providers from now on. Sessions that have begun go on.
  public func use(_ newProviders: Providers) {
    providers.replace(by: newProviders)
  }

  /// Has the users be those of another domain than the default database's: tokens of one are none in another. Called once, before
  /// there is any.
  public func use(domain: ObjectID) { sessions.signer.use(domain) }

  /// Whether failed logins are remembered, which are forgotten with this value.
  public var remembersAttempts: Bool { logins.attempts.isEmpty == false }

  /// Takes users' custom data from that class from now on; nil: it is what operators gave them.
  public func use(_ source: CustomDataSource?) {
    customData.use(source)
  }

  /// Has the classes of groups be in these stores. Called once, before there is any user.
  public func setStores(of groups: [(ClassGroup, Store)]) {
    customData.setStores(of: groups)
  }

  /// Adds a user whom another server knows; false: somebody has the identifier, the address or an identity. Throws `StorageError`.
  public func add(_ imported: ImportedUser) async throws -> Bool {
    let user = imported.user
    var changes = [try RecordChange(UserRecords.user(user.id), user.record, expecting: .some(nil))]
    for identity in user.identities {
      changes.append(
        try RecordChange(UserRecords.identity(identity), ["id": .objectID(user.id)], expecting: .some(nil)))
    }
    if let account = imported.account {
      let pointer: Document = ["id": .objectID(account.id)]
      changes.append(try RecordChange(UserRecords.email(account.email), pointer, expecting: .some(nil)))
      changes.append(
        try RecordChange(UserRecords.account(account.id), account.record, expecting: .some(nil)))
    }
    return try await sessions.store.store.keep(changes)
  }

  /// Removes sessions whose tokens have ended, and anonymous users who have no session and no key: nobody can be them
  /// again. It takes a while, and writers come in between.
  public func purge() async throws {
    try await purging.run()
  }
}
