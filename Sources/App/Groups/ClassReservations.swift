import GatehouseBSON
import GatehouseStorage

/// The classes of groups, in records of the store of their app: the app's log brings them to all nodes of a cluster. So a node that has not
/// read of a group yet makes none of its classes in the app's own store, wherever that is led.
struct ClassReservations {
  private static let place = Record.Name("reservedClasses", "")

  private let store: Store

  /// - Parameter store: The app's own.
  init(_ store: Store) { self.store = store }

  /// The revision of the groups whose classes are reserved; -1: none are.
  var revision: Int64 {
    get throws(StorageError) { ClassReservations.revision(try record) }
  }

  private var record: [UInt8]? {
    get throws(StorageError) { try store.makeReader().record(ClassReservations.place) }
  }

  private static func revision(_ record: [UInt8]?) -> Int64 {
    guard let record, case .int64(let revision)? = (try? Document(bson: record))?["revision"] else {
      return -1
    }
    return revision
  }

  /// Reserves the classes of these groups and no others, unless those of a later revision are: this node may be the one that is late.
  func keep(_ groups: [AppGroup], revision: Int64) async throws(StorageError) {
    let classes = groups.reduce(into: Set<String>()) { $0.formUnion($1.classes) }
    guard let value = try? (["revision": .int64(revision)] as Document).bson() else { throw .tooLarge }
    while true {
      let known = try record
      guard ClassReservations.revision(known) < revision, known != nil || !groups.isEmpty else { return }
      let present = Set(try store.makeReader().records(Record.Name.reservations).map(\.name.key))
      let place = RecordChange(
        ClassReservations.place, value, expecting: known.map { .value($0) } ?? .absent)
      let added = classes.subtracting(present).map { RecordChange(.reservation(ofClass: $0), value) }
      let removed = present.subtracting(classes).map { RecordChange(.reservation(ofClass: $0), nil) }
      if try await store.keep([place] + added + removed) { return }
    }
  }
}
