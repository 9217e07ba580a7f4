public import Access
public import BSON
public import Crypto
public import Storage
import Synchronization

/// The users of the gateways of a server, and how they log in: one for all event loops.
public final class Users: Sendable {
  /// What users may be, beyond what one of them may do. 0: as many as there are.
  public struct Limits: Hashable, Sendable {
    /// Anonymous users.
    public var anonymous = 100_000
    /// Users that one address may make in an hour: anonymous ones, and accounts.
    public var newPerAddress = 1_000
    /// Days after which an anonymous user who was not there is deleted.
    public var anonymousDays = 60

    public init() {}
  }

  private static let signingName = Record.Name("signing", "")

  let store: Store
  let providers: Providers
  let limits: Limits
  let hasher: PasswordHasher
  /// What hashes cost; nil: that is to be found out.
  let costs: Mutex<PasswordCosts?>
  let clock: @Sendable () -> Date
  /// Told of users and sessions that are none any more.
  let revocations = Revocations()
  private let signing: Mutex<SigningKeys>
  let attempts = LoginAttempts()
  let newcomers: Mutex<Newcomers>

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
    self.store = store
    self.providers = providers
    self.limits = limits
    newcomers = Mutex(Newcomers(limits))
    self.clock = clock
    hasher = PasswordHasher(workers: hashers)
    costs = Mutex(cost.map { PasswordCosts(current: $0, most: $0) })
    let stored = try UserRecords(reader: store.makeReader()).document(Users.signingName)
    var keys: SigningKeys
    if let stored {
      guard let found = SigningKeys(record: stored) else { throw .corrupt("signing keys") }
      keys = found
    } else {
      keys = SigningKeys(at: clock())
    }
    if stored != nil, keys.areDue(at: clock()) { keys.rotate(at: clock()) }
    signing = Mutex(keys)
    try await keep(keys)
  }

  private func keep(_ keys: SigningKeys) async throws(StorageError) {
    _ = try await store.keep([try RecordChange(Users.signingName, keys.record)])
  }

  /// Makes a new signing key where the present one is old enough.
  func rotateKeys() async throws(StorageError) {
    let now = clock()
    let rotated: SigningKeys? = signing.withLock { keys in
      guard keys.areDue(at: now) else { return nil }
      keys.rotate(at: now)
      return keys
    }
    if let rotated { try await keep(rotated) }
  }

  func text(of token: UserToken) -> String {
    signing.withLock { token.text(signedBy: $0) }
  }

  /// The token that a text is. Throws ``UserError/badToken`` and ``UserError/wrongKindOfToken``.
  func token(_ text: String, _ kind: UserToken.Kind) throws(UserError) -> UserToken {
    let keys = signing.withLock { $0 }
    guard let token = UserToken(text, signedBy: keys, at: clock()) else {
      throw keys.haveSigned(text) ? .expiredToken : .badToken
    }
    guard token.kind == kind else { throw .wrongKindOfToken }
    return token
  }

  /// The user who shows the token. Throws ``UserError``.
  func user(
    showing text: String, _ kind: UserToken.Kind, _ records: UserRecords
  ) throws -> (user: User, token: UserToken) {
    let token = try token(text, kind)
    guard try records.hasSession(token), let user = try records.user(token.user) else {
      throw UserError.noSession
    }
    guard !user.isDisabled else { throw UserError.disabledUser }
    return (user, token)
  }

  /// An attempt to log in, or to get at somebody's account, which counts where it fails. Throws
  /// ``UserError/tooManyAttempts(seconds:)``, and what the attempt throws.
  func attempt<Result: Sendable>(
    _ account: String? = nil, from client: UInt64, _ body: () async throws -> Result
  ) async throws -> Result {
    if let wait = attempts.begin(account, from: client, at: clock().seconds) {
      throw UserError.tooManyAttempts(seconds: wait)
    }
    do {
      let result = try await body()
      attempts.withdraw(account, from: client)
      return result
    } catch let error as UserError where error.isFailedAttempt {
      throw error
    } catch {
      // Nobody has been told whether it was right.
      attempts.withdraw(account, from: client, isUndecided: true)
      throw error
    }
  }

  // Records

  /// Changes records until nothing came in between.
  func change<Result: Sendable>(
    _ body: @escaping @Sendable (UserRecords) throws -> (changes: [RecordChange], result: Result)
  ) async throws -> Result {
    while true {
      let (changes, result) = try await store.read { try body(UserRecords(reader: $0)) }
      if changes.isEmpty { return result }
      if try await store.keep(changes) { return result }
    }
  }

  func read<Result: Sendable>(
    _ body: @escaping @Sendable (UserRecords) throws -> Result
  ) async throws -> Result {
    try await store.read { try body(UserRecords(reader: $0)) }
  }
}

extension RecordChange {
  /// The record is removed.
  init(removing name: Record.Name) {
    self.init(name, nil as [UInt8]?)
  }

  /// The record stays as it is, where it is that document.
  init(keeping name: Record.Name, _ document: Document) throws(StorageError) {
    try self.init(name, document, expecting: .some(document))
  }

  /// The record becomes the document.
  init(
    _ name: Record.Name, _ document: Document, expecting expected: Document?? = .none
  ) throws(StorageError) {
    let expectation: Expectation =
      switch expected {
      case .none: .anything
      case .some(nil): .absent
      case .some(let document?): .value(try RecordChange.bytes(document))
      }
    self.init(name, try RecordChange.bytes(document), expecting: expectation)
  }

  private static func bytes(_ document: Document) throws(StorageError) -> [UInt8] {
    do throws(BSONError) { return try document.bson() } catch { throw .tooLarge }
  }
}
