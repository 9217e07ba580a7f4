import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// The SQL that gives one value, or one element of a collection, and the way to write it.
struct ElementColumn {
  /// The type of the column that ``expression(for:)`` gives.
  let type: ElementType
  /// Writes an embedded object or a link that is followed; nil: the column itself is written.
  let object: ObjectReader?
  /// For a link that is not followed: the target's table and the column of its primary key.
  private let target: (table: String, identifier: String)?
  /// How what may not be seen is left out.
  private let guarding: Guarding

  private enum Guarding {
    /// Everything may be seen.
    case none
    /// Only some objects of the class with that place in the catalog.
    case links(table: Int)
    /// Links inside mixed values are concealed.
    case mixed
  }

  /// `restricted` are the classes of which not all objects may be seen.
  init(
    _ layout: PropertyLayout, target: Projection?, in session: ReadSession, restricted: Set<String> = []
  ) throws(StorageError) {
    let linked: String?
    switch layout.property.type {
    case .linkingObjects(let objectType, _): linked = objectType
    case .one(let element, _), .list(let element, _), .set(let element, _), .map(let element, _):
      if case .object(let objectType) = element { linked = objectType } else { linked = nil }
    }
    guard let linked else {
      type = layout.element ?? .mixed
      object = nil
      self.target = nil
      guarding = type == .mixed && !restricted.isEmpty ? .mixed : .none
      return
    }
    let table = try session.catalog.table(linked)
    guarding = restricted.contains(linked) ? .links(table: try session.catalog.index(of: linked)) : .none
    if table.objectType.isEmbedded || target != nil {
      type = .int
      object = ObjectReader(
        table, projection: target ?? .all(of: table.objectType), in: session, restricted: restricted)
      self.target = nil
    } else {
      type = table.identifierType
      object = nil
      self.target = table.objectType.primaryKey == nil ? nil : (table.table, table.identifierColumn)
    }
  }

  /// SQL that gives the value to read where the column is `column`: the column itself, or the primary key of
  /// the object that it links to; null where that may not be seen.
  func expression(for column: String) -> String {
    switch guarding {
    case .none: plainExpression(for: column)
    case .links(let table): "CASE WHEN visible(\(table), \(column)) THEN \(plainExpression(for: column)) END"
    case .mixed: "CASE WHEN typeof(\(column)) = 'blob' THEN concealed(\(column)) ELSE \(column) END"
    }
  }

  /// SQL for the condition under which the collection has the element in a column, which drops what may not be seen; nil
  /// where it has all.
  func condition(for column: String) -> String? {
    switch guarding {
    case .none: nil
    case .links(let table): "visible(\(table), \(column))"
    case .mixed: "(typeof(\(column)) <> 'blob' OR concealed(\(column)) IS NOT NULL)"
    }
  }

  private func plainExpression(for column: String) -> String {
    guard let target else { return column }
    return RowStatements.identifier(
      ofKeyIn: column, table: target.table, identifierColumn: target.identifier)
  }

  /// Writes the value that the column of a row has for ``expression(for:)``.
  @inline(__always)
  func write<Writer: ValueWriter>(
    _ row: Statement, at column: Int32, to writer: inout Writer, in session: ReadSession
  ) throws(StorageError) {
    if let object, !row.isNull(at: column) {
      try object.write(row.int64(at: column), to: &writer)
    } else {
      try row.write(type, at: column, to: &writer, in: session)
    }
  }
}
