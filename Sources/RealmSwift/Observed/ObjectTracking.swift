import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Glibc
public import Observation

/// Says whether code that reads is tracked by `withObservationTracking`, which Observation tells nobody: a registrar that is asked to
/// note a key path hashes it where there is someone to note it for, and hashing this one leaves a mark.
///
/// Because it never changes, it is safe to share.
final class Tracking: @unchecked Sendable {
  static let shared = Tracking()

  private struct Mark: Hashable {
    let key: pthread_key_t

    func hash(into hasher: inout Hasher) { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
  }

  private final class Subject: Observable {
    subscript(mark: Mark) -> Bool { true }
  }

  private let key: pthread_key_t
  private let registrar = ObservationRegistrar()
  private let subject = Subject()
  private let keyPath: KeyPath<Subject, Bool>

  private init() {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    self.key = key
    keyPath = \Subject.[Mark(key: key)]
  }

  var isActive: Bool {
    registrar.access(subject, keyPath: keyPath)
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

extension ObjectBase: Observable {}

extension ObjectAccessor {
  /// Notes that code which is tracked has read a property.
  func noteTrackedAccess(_ key: PropertyKey) {
    context.tracked.access(managed.columns[Int(key)], of: row)
  }
}
