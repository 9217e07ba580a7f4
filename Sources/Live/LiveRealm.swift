import Dispatch
public import GatehouseModel
public import GatehouseStorage
import Synchronization

/// One state of a store, which advances when it is told to, and may change in transactions. Used where its ``Confinement`` says.
///
///     reading a pin ──beginWrite()──▶ writing ──commit(), cancel()──▶ reading the next pin
///        │  └──advance()──▶ reading the next pin
///        └──freeze()──▶ another one, which reads the same pin for ever
///
/// `@unchecked Sendable`. Because all but what is atomic is used where its confinement says, which everybody asks first.
public final class LiveRealm: @unchecked Sendable {
  public let coordinator: Coordinator
  public let confinement: Confinement
  private let ownGate: UnsafeMutablePointer<ReadGate>
  /// The queue that may use it, by its number; 0: it is not a queue's.
  private let queue: UInt
  /// The state that is read; nil: it was invalidated, and the next read takes the newest.
  private var pin: Pin?
  public private(set) var write: InteractiveWrite?
  /// A number that is another one in every state of every Realm.
  public private(set) var state: UInt64 {
    get { ownGate.pointee.state }
    set { ownGate.pointee.state = newValue }
  }
  /// Whether the open transaction has changed something.
  public private(set) var hasWritten = false
  /// The last state in which any object may have changed.
  private var broadState: UInt64 = 0
  /// The states in which single objects have changed since then.
  private var changedStates: [RowAddress: UInt64] = [:]
  /// The values of objects in this state, by their rows.
  private var rows: [RowAddress: [Mixed]] = [:]
  /// The classes of the schema by their names.
  private var tables: [String: Int] = [:]
  /// The class that was looked up last.
  var lastTable: (objectType: String, table: Int)?
  /// The generation of the schema; -1: of one that is not committed.
  private(set) var generation: Int64 = -1
  /// The generation of the schema of the state that is read, which is taken if there is none.
  @inline(__always)
  var knownGeneration: Int64 {
    if pin == nil, write == nil { _ = current }
    return generation
  }
  /// Whether it advances by itself when others commit.
  public var autorefreshes = true
  /// Who is told of changes.
  var notifiers: [Notifier] = []
  private let isScheduled = Atomic(false)
  /// The version up to which the Realm's own commits alone have led, and the version that they began at.
  private var own = (base: Int64.max, version: Int64.max)
  /// Called when it has advanced by itself.
  public var didAdvance: () -> Void = {}
  /// Called when the state that is read has another schema than the one before.
  public var didChangeSchema: () -> Void = {}
  /// Called when others have committed, and it does not advance by itself.
  public var didFallBehind: () -> Void = {}
  private let lock = Mutex(())

  public init(_ coordinator: Coordinator, _ confinement: Confinement) throws(StorageError) {
    self.coordinator = coordinator
    self.confinement = confinement
    let thread: UInt
    switch confinement {
    case .thread(let own): (thread, queue) = (own, 0)
    case .queue:
      queue = confinement.identity
      // Objects of one queue may be several.
      let isMain = queue == Confinement.queue(.main).identity
      thread = isMain && Confinement.isMainThread ? Confinement.currentThread : 0
    case .actor, .none: (thread, queue) = (0, 0)
    }
    let pin = try coordinator.store.pin()
    self.pin = pin
    ownGate = .allocate(capacity: 1)
    ownGate.initialize(to: ReadGate(thread: thread))
    take(pin)
    if confinement.isReachable { coordinator.add(self) }
  }

  private init(frozen pin: Pin, _ coordinator: Coordinator) {
    self.coordinator = coordinator
    confinement = .none
    queue = 0
    self.pin = pin
    ownGate = .allocate(capacity: 1)
    ownGate.initialize(to: ReadGate(thread: 0, isFrozen: true))
    take(pin)
  }

  deinit { ownGate.deallocate() }

  /// The place where reads of values in memory look. It is there for as long as the Realm is.
  public var gate: UnsafePointer<ReadGate> { UnsafePointer(ownGate) }

  /// Has reads note what code is tracked, if the Realm can tell of changes where it lives. The object is never released.
  public func track(by tracker: AnyObject) {
    guard confinement.isReachable else { return }
    ownGate.pointee.tracker = UnsafeRawPointer(Unmanaged.passUnretained(tracker).toOpaque())
  }

  /// Whether who asks may use it.
  public var isCurrent: Bool { ownGate.pointee.isOnThread || isCurrentElsewhere }

  /// Whether who asks may use it, though it is on no thread that is known to.
  private var isCurrentElsewhere: Bool {
    if queue != 0, DispatchQueue.getSpecific(key: Confinement.key) == queue { return true }
    return confinement.isCurrent
  }

  // States

  public var isFrozen: Bool { if case .none = confinement { true } else { false } }

  /// The version that is read.
  public var version: Int64 { write?.base ?? current.version }

  public var schema: Schema { write?.reader.schema ?? current.schema }

  private var current: Pin {
    if let pin { return pin }
    do {
      let pin = try coordinator.store.pin()
      self.pin = pin
      take(pin)
      return pin
    } catch {
      fatalError("The Realm cannot be read: \(error)")
    }
  }

  /// Comes to a state in which any object may be another one.
  private func enterState() {
    state = Coordinator.nextState()
    broadState = state
    rows.removeAll(keepingCapacity: true)
    changedStates.removeAll(keepingCapacity: true)
  }

  /// Whether neither an object nor a collection of it has changed since a state of this Realm.
  public func isUnchanged(_ row: RowAddress, since state: UInt64) -> Bool {
    precondition(state <= self.state, "what is known of an object was read in a state that has been")
    return state >= broadState && state >= changedStates[row] ?? 0
  }

  private func take(_ pin: Pin) {
    enterState()
    guard generation != pin.generation else { return }
    precondition(pin.generation > generation, "the generations of a schema grow")
    generation = pin.generation
    note(pin.schema)
    didChangeSchema()
  }

  private func note(_ schema: Schema) {
    let names = schema.objectTypes.map(\.name)
    tables = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
    lastTable = nil
  }

  /// Goes on to the newest state; false: it is read already.
  @discardableResult
  public func advance() throws(StorageError) -> Bool {
    guard write == nil, !isFrozen else { return false }
    let newest = try coordinator.store.pin()
    guard newest !== pin, newest.version != pin?.version || newest.generation != pin?.generation else {
      return false
    }
    precondition(newest.version >= pin?.version ?? 0, "a Realm does not go back")
    pin = newest
    take(newest)
    return true
  }

  /// Lets go of the state that is read; the next read takes the newest.
  public func invalidate() {
    write?.cancel()
    write = nil
    hasWritten = false
    pin = nil
    enterState()
  }

  /// Returns the state of before the transaction, if there is one, for everybody and for ever.
  public func frozen() -> LiveRealm { isFrozen ? self : LiveRealm(frozen: current, coordinator) }

  // Transactions

  /// Begins a transaction, which sees the newest state. Throws ``StorageError/nestedWrite`` where the thread is in one of another
  /// Realm.
  ///
  /// - Parameters:
  ///   - limit: The nanoseconds after which it is rolled back; nil: it lasts as long as it lasts.
  ///   - isObserved: Whether ``observedChanges()`` will be asked for.
  public func beginWrite(limit: UInt64? = nil, isObserved: Bool = false) throws(StorageError) {
    precondition(
      self.write == nil && !isFrozen, "a Realm is in one transaction at a time, and a frozen one in none")
    let write = try coordinator.store.beginWrite(limit: limit, isObserved: isObserved)
    // The pin is of the newest commit, since nobody else commits.
    try advance()
    precondition(pin?.version == write.base, "a transaction begins at the state that is read")
    self.write = write
    hasWritten = false
    enterState()
  }

  /// Begins a transaction that changes the schema first, with what is lost by that.
  public func beginMigration(to schema: Schema) throws(StorageError) {
    precondition(
      self.write == nil && !isFrozen, "a Realm is in one transaction at a time, and a frozen one in none")
    let write = try coordinator.store.beginMigration(to: schema, destructive: true)
    self.write = write
    hasWritten = true
    enterState()
    // The next state that is read has its own.
    generation = -1
    note(write.reader.schema)
  }

  /// Returns the net change of each object that the open transaction has made so far.
  public func observedChanges() throws(StorageError) -> [ObjectChange] { try write?.changes() ?? [] }

  /// Commits, reads the state after it, or a later one, and returns the version of the commit.
  ///
  /// - Parameter schema: The schema that a migration ends with; nil: the one that it began with.
  @discardableResult
  public func commitWrite(reshapingTo schema: Schema? = nil) throws(StorageError) -> Int64 {
    guard let write else { return version }
    self.write = nil
    hasWritten = false
    defer { enterState() }
    let committed = try write.commit(reshapingTo: schema)
    precondition(committed >= write.base, "a commit is behind the state that it began at")
    own = (base: own.version == write.base ? own.base : write.base, version: committed)
    try advance()
    precondition(version >= committed, "a Realm reads what it has committed")
    return committed
  }

  /// Whether all that has changed since a version is what the Realm itself has committed.
  func isOwnChange(since version: Int64) -> Bool { version >= own.base && self.version == own.version }

  /// Takes back all changes.
  public func cancelWrite() {
    write?.cancel()
    write = nil
    hasWritten = false
    enterState()
  }

  /// The objects that one operation of a transaction changes.
  public enum Extent {
    /// One that was not there before.
    case new
    case object(RowAddress)
    case any
  }

  /// Has the open transaction change something.
  public func change<Answer>(
    _ extent: Extent, _ body: (InteractiveWrite) throws(StorageError) -> Answer
  ) throws(StorageError) -> Answer {
    guard let write else { fatalError("no transaction") }
    let answer = try body(write)
    hasWritten = true
    switch extent {
    case .new: state = Coordinator.nextState()
    case .object(let row):
      state = Coordinator.nextState()
      rows[row] = nil
      changedStates[row] = state
      precondition(state > broadState, "the states of a Realm grow")
    case .any: enterState()
    }
    return answer
  }

  // Reading

  /// Returns what `body` reads in this state.
  public func read<Answer>(_ body: (TypedReader) throws(StorageError) -> Answer) -> Answer {
    do throws(StorageError) {
      if let write { return try write.read(body) }
      return try current.read(body)
    } catch {
      fatalError("The Realm cannot be read: \(error)")
    }
  }

  /// Returns objects as they were in the last commit that is seen, whatever the open transaction has changed; those that it has made
  /// are left out.
  public func observation(of visits: [(row: RowAddress, link: PropertyPlace?)]) -> Observation {
    let pin = current
    do throws(StorageError) {
      let reads = try pin.read { reader throws(StorageError) in try reader.reads(of: visits) }
      return Observation(version: pin.version, schema: pin.schema, reads: reads)
    } catch {
      fatalError("The Realm cannot be read: \(error)")
    }
  }

  /// The position of a class in the schema; nil: it is not in it.
  public func table(_ objectType: String) -> Int? {
    if pin == nil, write == nil { _ = current }
    return tables[objectType]
  }

  /// The values of an object's properties that are no collections; nil: it is not there.
  public func values(of row: RowAddress) -> [Mixed]? {
    if let known = known(row) { return known }
    // The class may be there no more.
    guard schema.objectTypes.indices.contains(row.table) else { return nil }
    let values = read { reader throws(StorageError) in try reader.values(of: row) }
    if let values {
      precondition(
        values.count == schema.objectTypes[row.table].properties.count,
        "an object has a value, or a place for one, of each property")
      remember(values, of: row)
    }
    return values
  }

  private func known(_ row: RowAddress) -> [Mixed]? {
    isFrozen ? lock.withLock { _ in rows[row] } : rows[row]
  }

  private func remember(_ values: [Mixed], of row: RowAddress) {
    if isFrozen { return lock.withLock { _ in rows[row] = values } }
    if rows.count > LiveRealm.mostRows { rows.removeAll(keepingCapacity: true) }
    rows[row] = values
  }

  /// Reads the values of objects that are about to be asked for; nil: these are not links to objects of one class.
  public func page(of links: ArraySlice<Mixed>) -> ObjectPage? {
    guard case .link(let first)? = links.first, let table = table(first.objectType) else { return nil }
    var keys: [Int64] = []
    keys.reserveCapacity(links.count)
    for link in links {
      guard case .link(let link) = link, link.objectType == first.objectType else { return nil }
      keys.append(link.key.value)
    }
    return read { reader throws(StorageError) in try reader.page(of: keys, in: table) }
  }

  /// The most objects whose values are remembered.
  private static let mostRows = 100_000

  // Notifications

  /// Has what is to be told be told, where the Realm lives. To be called by any thread.
  func schedule() {
    guard confinement.isReachable, !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else {
      return
    }
    confinement.async { [weak self] in
      guard let self else { return }
      isScheduled.store(false, ordering: .releasing)
      if write == nil { catchUp() }
    }
  }

  /// Advances if it does so by itself, and tells of what has changed.
  private func catchUp() {
    if autorefreshes {
      if (try? advance()) == true { didAdvance() }
    } else if let newest = try? coordinator.store.pin(), newest.version > version {
      didFallBehind()
    }
    notify()
  }

  /// Tells of what has changed up to the state that is read.
  ///
  /// - Parameter withBeginnings: Whether those are told as well who have not been told of anything yet.
  public func notify(withBeginnings: Bool = true) {
    guard !notifiers.isEmpty, write == nil || !hasWritten else { return }
    var summaries: [Int64: ChangeSummary] = [:]
    for notifier in notifiers where notifier.isAdded {
      guard notifier.needsUpdate(at: version), withBeginnings || notifier.hasBegun else { continue }
      let from = notifier.version
      let summary = summaries[from] ?? ChangeSummary(after: from, in: self, without: notifier.skipped)
      if notifier.skipped.isEmpty { summaries[from] = summary }
      notifier.update(summary, to: version)
    }
  }
}
