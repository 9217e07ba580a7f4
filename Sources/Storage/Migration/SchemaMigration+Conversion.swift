import GatehouseModel
import GatehouseSQLite

extension SchemaMigration {
  /// How many values that cannot be converted are told.
  private static let toldValues = 10

  /// Gives the objects of a class the values of a property that has another type now, as far as they can be converted.
  /// The others are left null, and noted.
  mutating func convert(
    _ source: PropertyLayout, of old: TableLayout, to layout: PropertyLayout
  ) throws(StorageError) {
    guard let from = source.element, let to = layout.element else { return }
    let rows = try session.prepare(
      """
      SELECT _key, \(source.column), \(old.identifierColumn) FROM \(old.table) WHERE \(source.column) IS NOT NULL
      """)
    let update = try session.prepare("UPDATE \(old.table) SET \(layout.column) = ?1 WHERE _key = ?2")
    while try session.step(rows) {
      guard let value = try rows.value(as: from, at: 1).converted(to: to) else {
        let id = try rows.value(as: old.identifierType, at: 2)
        try note(
          UnconvertibleValue(
            objectType: old.objectType.name, property: layout.property.name, id: id,
            reason: .inexact(from: from, to: to)))
        continue
      }
      update.bind(value, as: to, at: 1)
      update.bind(rows.int64(at: 0), at: 2)
      while try session.step(update) {}
    }
    if !layout.isOptional { try noteNulls(of: source, in: old, layout) }
  }

  /// Notes the objects that have no value in a column, for a property that must have one now.
  mutating func noteNulls(
    of source: PropertyLayout, in old: TableLayout, _ layout: PropertyLayout
  ) throws(StorageError) {
    guard !isDestructive else { return }
    let rows = try session.prepare(
      """
      SELECT \(old.identifierColumn) FROM \(old.table) WHERE \(source.column) IS NULL \
      ORDER BY _key LIMIT \(Self.toldValues)
      """)
    while try session.step(rows) {
      try note(
        UnconvertibleValue(
          objectType: old.objectType.name, property: layout.property.name,
          id: try rows.value(as: old.identifierType, at: 0), reason: .null))
    }
  }

  private mutating func note(_ value: UnconvertibleValue) throws(StorageError) {
    guard !isDestructive else { return }
    unconvertible.append(value)
    if unconvertible.count >= Self.toldValues { throw .unconvertible(unconvertible) }
  }
}
