import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Glibc
public import Observation
import Synchronization

/// Says whether code that reads is tracked by `withObservationTracking`, which Observation tells nobody: a registrar that is asked to
/// note a key path hashes it where there is someone to note it for, and hashing this one leaves a mark.
///
/// Because it never changes, it is safe to share.
final class Tracking: @unchecked Sendable {
  static let shared = Tracking()

  /// Counts the marks that threads have left.
  private static let marks = Atomic(0)

  private struct Mark: Hashable {
    let key: pthread_key_t

    func hash(into hasher: inout Hasher) {
      pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
      Tracking.marks.add(1, ordering: .relaxed)
    }
  }

  private final class Subject: Observable {
    subscript(mark: Mark) -> Bool { true }
  }

  private let key: pthread_key_t
  private let subject = Subject()
  private let keyPath: KeyPath<Subject, Bool>
  // Behind the others, which are found without asking how large it is.
  private let registrar = ObservationRegistrar()

  private init() {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    self.key = key
    keyPath = \Subject.[Mark(key: key)]
  }

  @inline(__always)
  var isActive: Bool {
    let marks = Tracking.marks.load(ordering: .relaxed)
    registrar.access(subject, keyPath: keyPath)
    // Mostly nobody at all is tracked.
    return Tracking.marks.load(ordering: .relaxed) != marks && takeMark()
  }

  /// Whether this thread has left a mark, which goes.
  @inline(never)
  private func takeMark() -> Bool {
    if pthread_getspecific(key) == nil { return false }
    pthread_setspecific(key, nil)
    return true
  }
}

/// The properties of a Realm's objects that tracked code has read. Each is told of once: whoever is tracked then reads it again.
final class TrackedProperties: Notifier {
  private var tracked: [RowAddress: [Int: ObservedValue]] = [:]

  init(in realm: LiveRealm) {
    super.init(realm, beginsWithChange: true)
    realm.add(self)
  }

  /// Notes that a property was read.
  func access(_ column: Int, of row: RowAddress) {
    let value = tracked[row]?[column] ?? ObservedValue()
    tracked[row, default: [:]][column] = value
    value.access { _ in nil }
  }

  /// Positions are others: whoever is tracked reads again.
  override func follow(_ positions: SchemaPositions) {
    let values = tracked.values.flatMap(\.values)
    tracked = [:]
    for value in values { value.didChange() }
  }

  override func didChange(_ summary: ChangeSummary) {
    var changed: [ObservedValue] = []
    for (row, columns) in tracked {
      let change = summary.changes(of: row)
      if change == nil, !summary.isIncomplete { continue }
      let properties = realm.schema.objectTypes[row.table].properties
      for (column, value) in columns {
        let isGone = change?.isGone == true || summary.isIncomplete
        guard isGone || change?.properties.contains(properties[column].storedName) == true else { continue }
        tracked[row]?[column] = nil
        changed.append(value)
      }
      if tracked[row]?.isEmpty == true { tracked[row] = nil }
    }
    for value in changed { value.didChange() }
  }
}

extension ObjectBase: Observable {
  /// Notes that a property is read, if code that is tracked reads it, of a Realm that is its to use.
  @usableFromInline final func _rlmNoteRead(of key: PropertyKey?, by tracker: UnsafeRawPointer) {
    Unmanaged<Tracking>.fromOpaque(tracker)._withUnsafeGuaranteedRef { tracking in
      if tracking.isActive { noteTrackedRead(of: key) }
    }
  }

  @inline(never)
  private final func noteTrackedRead(of key: PropertyKey?) {
    guard let key, let accessor else { return }
    accessor.context.check()
    accessor.context.tracked.access(accessor.managed.columns[Int(key)], of: accessor.row)
  }
}
