import GatehouseModel

/// Tells somebody of changes, in the Realm that it is added to.
open class Notifier {
  /// Whether it was added, and not removed since then.
  fileprivate(set) var isAdded = false
  public let realm: LiveRealm
  /// The version that was told of last.
  public private(set) var version: Int64
  /// Whether something was told yet.
  private(set) var hasBegun: Bool
  /// Whether what it is told of now was committed by its own Realm alone.
  private(set) var isOwnChange = false
  /// Commits that it does not hear of.
  private(set) var skipped: Set<Int64> = []
  /// The schema that positions are of, and its generation.
  private var known: (schema: Schema, generation: Int64)

  /// - Parameter beginsWithChange: Nothing is told to begin with: what changes from now on is the first thing.
  public init(_ realm: LiveRealm, beginsWithChange: Bool = false) {
    self.realm = realm
    hasBegun = beginsWithChange
    version = realm.version
    known = (realm.schema, realm.knownGeneration)
  }

  /// Whether it is told of nothing for now: what changes meanwhile is told at once when it is not paused any more.
  public var isPaused = false {
    didSet { if oldValue, !isPaused { realm.schedule() } }
  }

  func needsUpdate(at version: Int64) -> Bool { !isPaused && (!hasBegun || version > self.version) }

  func update(_ summary: ChangeSummary, to version: Int64) {
    precondition(version >= self.version, "a notifier is told of later and later states")
    followSchema()
    isOwnChange = realm.isOwnChange(since: self.version)
    self.version = version
    skipped = []
    if hasBegun { return didChange(summary) }
    hasBegun = true
    begin()
  }

  /// Has it not hear of a commit, of which `base` is the version before.
  public func skip(_ version: Int64, after base: Int64) {
    // The beginning, which is still to come, has it all.
    guard hasBegun else { return }
    precondition(version >= base, "a commit is behind the state that it began at")
    // Others may have committed since then, of which is told.
    if self.version == base, realm.version == version {
      self.version = version
      followSchema()
      settle()
    } else {
      skipped.insert(version)
    }
  }

  private func followSchema() {
    if known.generation == realm.knownGeneration { return }
    follow(SchemaPositions(from: known.schema, to: realm.schema))
    known = (realm.schema, realm.knownGeneration)
  }

  /// Takes the positions that classes and properties have from now on.
  open func follow(_ positions: SchemaPositions) {}

  /// Takes the state that is read for the one that was told of last.
  open func settle() {}

  /// Tells how things are to begin with.
  open func begin() {}

  /// Tells of changes.
  open func didChange(_ summary: ChangeSummary) {}
}

extension LiveRealm {
  /// Has a notifier tell of changes from now on, after those that were added before.
  public func add(_ notifier: Notifier) {
    precondition(notifier.realm === self, "a notifier tells of the Realm that it is added to")
    if !notifier.isAdded { notifiers.append(notifier) }
    notifier.isAdded = true
    schedule()
  }

  /// Has a notifier tell of nothing any more.
  public func remove(_ notifier: Notifier) {
    guard notifier.isAdded else { return }
    notifier.isAdded = false
    notifiers.removeAll { $0 === notifier }
    precondition(
      notifiers.allSatisfy(\.isAdded), "a Realm has the notifiers that were added, and none that was removed")
  }
}
