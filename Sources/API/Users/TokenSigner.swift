import GatehouseAccess
import GatehouseBSON
import GatehouseStorage
import Synchronization

/// Signs the tokens of sessions and reads them again, with keys that change from time to time.
final class TokenSigner: Sendable {
  /// The keys as the store has them.
  private struct Source: ~Copyable {
    let records: UserRecords
    /// Whether there may be others than those that were taken last.
    var isAhead = true

    /// Throws ``StorageError/corrupt(_:)`` where the document holds no keys.
    func read() throws(StorageError) -> (document: Document, keys: SigningKeys)? {
      guard let document = try records.document(.signingKeys) else { return nil }
      guard let keys = SigningKeys(record: document) else { throw .corrupt("signing keys") }
      return (document, keys)
    }
  }

  private let store: Store
  private let clock: @Sendable () -> Date
  private let keys = Mutex(SigningKeys())
  private let source: Mutex<Source>

  /// Reads the keys that tokens are signed with, or makes them. Where the store follows another one, the keys are that one's: until they
  /// come, nobody's token is good.
  init(_ users: UserStore) async throws(StorageError) {
    store = users.store
    clock = users.clock
    source = Mutex(Source(records: UserRecords(reader: try users.store.makeReader())))
    store.observeRecords(ofKinds: [Record.Name.signingKeys.kind]) { [weak self] _ in self?.takeRecord() }
    if store.isWritable { try await prepare() } else { try catchUp() }
  }

  /// Makes keys where the store has none, and renews those that are old enough.
  func prepare() async throws(StorageError) {
    source.withLock { $0.isAhead = true }
    try catchUp()
    do throws(StorageError) { try await rotateKeys() } catch {
      // A server starts on a full disk as well: the keys that are stored do for a while.
      guard error == .diskFull, !keys.withLock(\.isEmpty) else { throw error }
    }
  }

  /// Takes the keys that another node of the cluster has changed. Where they cannot be read, ``catchUp()`` tries again.
  private func takeRecord() {
    source.withLock { $0.isAhead = true }
    try? catchUp()
  }

  /// Takes the keys that are stored, where they may be others.
  private func catchUp() throws(StorageError) {
    // One after the other, so that nobody takes what was there before.
    try source.withLock { (source) throws(StorageError) in
      guard source.isAhead else { return }
      if let found = try source.read()?.keys { take(found) }
      source.isAhead = false
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

  /// Makes a new signing key where the present one is old enough, which signs once it is stored: nobody would know its tokens after a
  /// crash.
  func rotateKeys() async throws(StorageError) {
    let now = clock()
    while keys.withLock({ $0.areDue(at: now) }) {
      let stored = try source.withLock { (source) throws(StorageError) in try source.read() }
      var changed = stored?.keys ?? SigningKeys()
      if changed.areDue(at: now) {
        changed.rotate(at: now)
        // Somebody else may store one first.
        let change = try RecordChange(.signingKeys, changed.record, expecting: .some(stored?.document))
        guard try await store.keep([change]) else { continue }
      }
      // Another one's key may be in the file a moment before it is durable.
      await store.settle()
      source.withLock { $0.isAhead = true }
      try catchUp()
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
