import GatehouseBSON
import GatehouseModel

/// Writes the time of a transaction into the properties that tell when an object changed last. Writes by ``ObjectStore``, and owns no
/// table.
final class UpdateTimes {
  private let objects: ObjectStore
  private let capture: ChangeCapture
  /// For each class, the positions of such properties.
  private let properties: [[Int]]
  private let isNeeded: Bool
  /// The time of all that the transaction changes; nil: nobody asks for it.
  private var time: Date?

  init(_ parts: WriteParts) {
    objects = parts.objects
    capture = parts.capture
    properties = parts.base.statements.catalog.tables.map { table in
      let properties = table.objectType.properties
      return properties.indices.filter { properties[$0].isUpdateTime }
    }
    isNeeded = properties.contains { !$0.isEmpty }
  }

  /// Begins a transaction.
  func begin(_ clock: () -> Date) { time = isNeeded ? clock() : nil }

  /// Whether a property is such a one, so that a value that somebody gives it does not count.
  func contains(_ property: Int, in table: Int) -> Bool { properties[table].contains(property) }

  /// Returns a draft of a new object with the time in place of whatever was given.
  func stamped(_ draft: ObjectDraft, in table: Int) -> ObjectDraft {
    guard let time, !properties[table].isEmpty else { return draft }
    var draft = draft
    for property in properties[table] {
      draft.assign(.value(.date(time)), to: property)
    }
    return draft
  }

  /// Writes the time into the objects that have changed, where that has not been done yet.
  func stampChanged() throws(StorageError) {
    guard let time else { return }
    for case let entry? in capture.entries where entry.kind == .updated {
      for property in properties[entry.row.table]
      where !entry.before.contains(where: { $0.property == property }) {
        guard try capture.hasChanged(entry) else { break }
        try capture.willChange(property, of: entry.row, id: entry.id)
        try objects.write(.date(time), to: property, of: entry.row)
      }
    }
  }
}
