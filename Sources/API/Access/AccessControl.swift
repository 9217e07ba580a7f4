public import GatehouseAccess
public import GatehouseBSON
import GatehouseModel
public import GatehouseStorage
import Synchronization

/// The keys and roles that decide who may use the gateways of a server, one for all event loops.
public final class AccessControl: Sendable {
  static let kind = "key"
  static let policy = Record.Name("policy", "")

  let store: Store
  /// Told of keys that are revoked, and of roles that change.
  let revocations = Revocations()
  /// Open event streams in the place of a credential.
  let tickets: Tickets
  private let keyring: Mutex<Keyring>
  let clock: @Sendable () -> Date
  /// Credentials that were none, by address.
  private let guesses = Mutex(AttemptLimit(limit: 60, period: 60))
  /// A number that goes up with each change, so that loops see without a lock whether they have to look.
  private let count = Atomic(0)

  /// Whether another node of the cluster has changed keys or roles, which could not be read since.
  private let isBehind = Atomic(false)
  /// Held while they are read, so that nobody takes what was there before.
  private let catchingUp = Mutex(())

  /// Whether a file says what the roles are, which ``replacePolicy(_:)`` would contradict.
  private let isPolicyInFile = Atomic(false)

  /// The stores of groups of classes, whose objects the roles are about as well.
  private let groupStores: [Store]

  /// Reads what the store keeps of keys and roles, which are also those of the stores of groups.
  public init(
    _ store: Store, groups: [Store] = [], adminKey: AdminKey? = nil,
    clock: @escaping @Sendable () -> Date = { .now }
  ) throws(StorageError) {
    groupStores = groups
    self.clock = clock
    tickets = Tickets(clock: clock)
    self.store = store
    var keyring = Keyring(adminKey: adminKey)
    let records = try AccessRecords(store.makeReader())
    for key in records.keys { keyring.add(key) }
    if let policy = records.policy { keyring.policy = policy }
    self.keyring = Mutex(keyring)
    store.observeRecords(ofKinds: [AccessControl.kind, AccessControl.policy.kind]) { [weak self] _ in
      self?.takeRecords()
    }
  }

  /// Takes the keys and roles that another node of the cluster has changed. Where they cannot be read, ``catchUp()`` tries again.
  private func takeRecords() {
    isBehind.store(true, ordering: .releasing)
    try? catchUp()
  }

  /// Takes what another node has changed, where it could not be read when it came. Throws where it still cannot: nobody knows who may do
  /// what.
  func catchUp() throws(StorageError) {
    guard isBehind.load(ordering: .acquiring) else { return }
    let change = try catchingUp.withLock { (_) throws(StorageError) -> (before: Keyring, after: Keyring)? in
      guard isBehind.exchange(false, ordering: .acquiringAndReleasing) else { return nil }
      do throws(StorageError) {
        return (before: current, after: replaceKeyring(by: try AccessRecords(store.makeReader())))
      } catch {
        isBehind.store(true, ordering: .releasing)
        throw error
      }
    }
    if let change { tell(of: change.after, behind: change.before) }
  }

  private func replaceKeyring(by records: AccessRecords) -> Keyring {
    change { keyring in
      let kept = Set(records.keys.map(\.id))
      for id in keyring.keys.keys where !kept.contains(id) { _ = keyring.remove(id) }
      for key in records.keys { keyring.add(key) }
      keyring.policy = records.policy ?? Policy()
      precondition(keyring.keys.count == kept.count, "the keys are those that the store has")
    }
    return current
  }

  private func tell(of after: Keyring, behind before: Keyring) {
    for id in before.keys.keys where after.keys[id] == nil {
      revocations.end(.key(id.description), .keyRevoked)
    }
    if !before.isGuarded, after.isGuarded { revocations.end(.anyone, .accessChanged) }
    if before.isGuarded != after.isGuarded || before.policy.notation != after.policy.notation {
      revocations.end(.roles, .accessChanged)
    }
  }

  /// Whether callers need a credential.
  public var isGuarded: Bool { keyring.withLock(\.isGuarded) }

  /// Whether tickets or failed credentials are remembered, which are forgotten with this value.
  public var remembersCallers: Bool {
    tickets.expire()
    let now = clock().seconds
    return tickets.count > 0 || !guesses.withLock { $0.isEmpty(at: now) }
  }

  /// The keys, in the order in which they were made.
  public var keys: [APIKey] {
    current.keys.values.sorted { $0.id.description < $1.id.description }
  }

  /// Whether an operator has defined a role of that name.
  func definesRole(_ name: String) -> Bool { current.policy.roles[name] != nil }

  /// Whether there is a role of that name.
  public func hasRole(_ name: String) -> Bool { current.policy[name] != nil }

  /// A number that goes up with each change of ``current``.
  var revision: Int { count.load(ordering: .acquiring) }

  /// The keys and roles as they are.
  var current: Keyring { keyring.withLock { $0 } }

  /// Throws ``APIError/tooManyAttempts(seconds:)`` where credentials from an address were none too often.
  func requirePatience(of client: UInt64) throws(APIError) {
    let now = clock().seconds
    if let seconds = guesses.withLock({ $0.wait(for: client, at: now) }) {
      throw .tooManyAttempts(seconds: seconds)
    }
  }

  /// Counts a credential that is none, and returns what its bearer is told.
  func error(countingFailureFrom client: UInt64) -> APIError {
    let now = clock().seconds
    return guesses.withLock { $0.count(client, at: now) }.map { .tooManyAttempts(seconds: $0) }
      ?? .unauthorized(.unknown)
  }

  /// Makes a key and returns its text, which nobody will know again.
  public func makeKey(
    name: String, role: String, classes: [String]
  ) async throws(StorageError) -> (key: APIKey, text: String) {
    let made = APIKey.make(name: name, role: role, classes: classes, created: .now)
    try await keep(Record.Name(AccessControl.kind, made.key.id.description), made.key.record)
    let wasGuarded = isGuarded
    change { $0.add(made.key) }
    if !wasGuarded {
      // With the first key, whoever comes without one is somebody else, and so are users.
      revocations.end(.anyone, .accessChanged)
      revocations.end(.roles, .accessChanged)
    }
    return made
  }

  /// Keeps a key that was made before its store was there, once: it may have been revoked since.
  public func keepFirst(_ key: APIKey) async throws(StorageError) {
    guard let value = try? key.record.bson() else { throw .tooLarge }
    let changes = [
      RecordChange(Record.Name("firstKey", ""), Array(key.id.description.utf8), expecting: .absent),
      RecordChange(Record.Name(AccessControl.kind, key.id.description), value),
    ]
    if try await store.keep(changes) { change { $0.add(key) } }
  }

  /// Whether the store has had the key that ``keepFirst(_:)`` keeps.
  public static func hasFirstKey(_ store: Store) throws(StorageError) -> Bool {
    try store.makeReader().record(Record.Name("firstKey", "")) != nil
  }

  /// Takes a key away; false: there is none.
  public func revokeKey(_ id: ObjectID) async throws(StorageError) -> Bool {
    guard current.keys[id] != nil else { return false }
    try await keep(Record.Name(AccessControl.kind, id.description), nil)
    change { _ = $0.remove(id) }
    revocations.end(.key(id.description), .keyRevoked)
    return true
  }

  /// Makes the roles of a file those of the store. From then on nobody else changes them; nil: there is no file any more, and
  /// the roles stay what they are. Throws `PolicyError` where they do not fit the schema.
  public func usePolicy(ofFile policy: Policy?) async throws {
    guard let policy else { return isPolicyInFile.store(false, ordering: .relaxed) }
    let types = ([store] + groupStores).flatMap(\.schema.objectTypes)
    // Each group may have a trail; the roles are about the first.
    var names: Set<String> = []
    try policy.validate(in: Schema(types.filter { names.insert($0.name).inserted }))
    isPolicyInFile.store(true, ordering: .relaxed)
    // A store that follows has the roles of the one that leads.
    guard store.isWritable else { return }
    if policy.notation != current.policy.notation { try await setPolicy(policy) }
  }

  /// Replaces the roles. Throws ``APIError/rolesInFile`` where a file says what they are.
  func replacePolicy(_ policy: Policy) async throws {
    guard !isPolicyInFile.load(ordering: .relaxed) else { throw APIError.rolesInFile }
    try await setPolicy(policy)
  }

  func setPolicy(_ policy: Policy) async throws(StorageError) {
    guard case .document(let document) = policy.notation else { return }
    try await keep(AccessControl.policy, document)
    change { $0.policy = policy }
    revocations.end(.roles, .accessChanged)
  }

  private func keep(_ name: Record.Name, _ document: Document?) async throws(StorageError) {
    // No name in it has a zero byte: what cannot be written was not read either.
    let value = try? document?.bson()
    guard document == nil || value != nil else { throw .tooLarge }
    _ = try await store.keep([RecordChange(name, value)])
  }

  private func change(_ body: (inout Keyring) -> Void) {
    keyring.withLock { keyring in
      let wasGuarded = keyring.isGuarded
      body(&keyring)
      precondition(
        keyring.isGuarded || !wasGuarded,
        "once there was a key, callers need a credential until the process ends")
    }
    count.add(1, ordering: .releasing)
  }
}
