import GatehouseAccess
import GatehouseBSON
import GatehouseStorage
import Synchronization

/// Signs the tokens of sessions and reads them again, with keys that change from time to time.
final class TokenSigner: Sendable {
  private let store: Store
  private let clock: @Sendable () -> Date
  private let keys: Mutex<SigningKeys>
  /// Whether another node of the cluster has changed the keys, which could not be read since.
  private let isBehind = Mutex(false)

  /// Reads the keys that tokens are signed with, or makes them. Where the store follows another one, the keys are that one's: until they
  /// come, nobody's token is good.
  init(_ users: UserStore) async throws(StorageError) {
    store = users.store
    clock = users.clock
    let found = try TokenSigner.stored(in: store)
    keys = Mutex(found ?? SigningKeys(at: clock()))
    store.observeRecords(ofKinds: [Record.Name.signingKeys.kind]) { [weak self] _ in self?.takeRecord() }
    if store.isWritable { try await prepare() }
  }

  private static func stored(in store: Store) throws(StorageError) -> SigningKeys? {
    guard let stored = try UserRecords(reader: store.makeReader()).document(.signingKeys) else { return nil }
    guard let found = SigningKeys(record: stored) else { throw .corrupt("signing keys") }
    return found
  }

  /// Keeps keys where the store has none, and renews those that are old enough.
  func prepare() async throws(StorageError) {
    guard let found = try TokenSigner.stored(in: store) else { return try await keep(keys.withLock { $0 }) }
    take(found)
    do throws(StorageError) { try await rotateKeys() } catch {
      // A server starts on a full disk as well: the keys that are stored do for a while.
      guard error == .diskFull else { throw error }
      take(found)
    }
  }

  /// Takes the keys that another node of the cluster has changed. Where they cannot be read, ``catchUp()`` tries again.
  private func takeRecord() {
    isBehind.withLock { $0 = true }
    try? catchUp()
  }

  /// Takes the keys that another node has changed, where they could not be read when they came.
  private func catchUp() throws(StorageError) {
    // One after the other, so that nobody takes what was there before.
    try isBehind.withLock { (isBehind) throws(StorageError) in
      guard isBehind else { return }
      if let found = try TokenSigner.stored(in: store) { take(found) }
      isBehind = false
    }
  }

  private func take(_ found: SigningKeys) {
    keys.withLock { keys in
      let domain = keys.domain
      keys = found
      keys.domain = domain
    }
  }

  /// Signs tokens of that domain from now on, and takes no others.
  func use(_ domain: ObjectID) { keys.withLock { $0.domain = domain.description } }

  private func keep(_ keys: SigningKeys) async throws(StorageError) {
    _ = try await store.keep([try RecordChange(.signingKeys, keys.record)])
  }

  /// Makes a new signing key where the present one is old enough.
  func rotateKeys() async throws(StorageError) {
    let now = clock()
    let change: (before: SigningKeys, after: SigningKeys)? = keys.withLock { keys in
      guard keys.areDue(at: now) else { return nil }
      let before = keys
      keys.rotate(at: now)
      return (before, keys)
    }
    guard let change else { return }
    do throws(StorageError) { try await keep(change.after) } catch {
      // A key that is not stored would sign tokens that nobody knows after a start.
      keys.withLock { if $0 == change.after { $0 = change.before } }
      throw error
    }
  }

  func text(of token: UserToken) -> String {
    keys.withLock { token.text(signedBy: $0) }
  }

  /// Returns the token that a text is. Throws ``UserError/badToken``, ``UserError/expiredToken``,
  /// ``UserError/wrongKindOfToken`` and `StorageError`.
  func token(_ text: String, _ kind: UserToken.Kind) throws -> UserToken {
    try catchUp()
    let keys = keys.withLock { $0 }
    guard let token = UserToken(text, signedBy: keys, at: clock()) else {
      throw keys.haveSigned(text) ? UserError.expiredToken : UserError.badToken
    }
    guard token.kind == kind else { throw UserError.wrongKindOfToken }
    return token
  }
}
