import GatehouseModel
import GatehouseSQLite

/// The statements that change one class' tables, each compiled when it is first needed.
final class TableStatements {
  /// The purpose of a statement. A number is the position of a property in the class.
  enum Purpose: Hashable {
    /// `?1` identifier → object key, version.
    case find
    /// `?1` object key → version.
    case version
    /// `?1` object key → identifier.
    case identifier
    /// `?1` object key, `?2` version (not for embedded classes), then the columns in the order of the class.
    case insert
    /// `?1` object key.
    case delete
    /// `?1` version, `?2` object key.
    case touch
    /// `?1` value, `?2` object key.
    case assign(Int)
    /// `?1` object key → the column's value.
    case value(Int)
    /// `?1` owner, then for each of so many elements the position or key (not for sets) and the value.
    case insertElements(Int, count: Int)
    /// `?1` owner.
    case clear(Int)
    /// `?1` owner → the values.
    case elements(Int)
    /// `?1` owner, `?2` key → the value.
    case entry(Int)
    /// `?1` owner, `?2` key.
    case removeEntry(Int)
    /// `?1` object key of a target → the owners and keys of a map's entries that link to it.
    case linkingEntries(Int)
    /// `?1` owner, `?2` key: the entry holds null.
    case nullEntry(Int)
    /// `?1` object key of a target → the object keys that link to it.
    case owners(Int)
    /// `?1` object key of a target: unlinks it, from the column or the child table.
    case unlink(Int)
    /// `?1` object key of a target, `?2` the key that links to it hold so far: has them lead to it.
    case relink(Int)
    /// `?1` owner, `?2` position → the value of a list's element.
    case elementKey(Int)
    /// `?1` owner, `?2` position.
    case removeElement(Int)
    /// `?1` owner, `?2` position, `?3` another position.
    case moveElement(Int)
    /// `?1` object key of a target → the owners and positions of a list's elements that link to it.
    case linkingElements(Int)
  }

  /// A column of the class' table that holds a property.
  struct Column {
    /// Where in the class the property is.
    let property: Int
    /// The parameter of ``Purpose/insert``.
    let parameter: Int32
    let isMixed: Bool
  }

  let table: TableLayout
  /// In the order of the class.
  let columns: [Column]
  /// Whether rows have the version of their last change: those of embedded objects have none.
  let hasVersion: Bool
  let hasCollections: Bool
  /// Whether rows are all there is of objects, which have primary keys: no collections, no links, no objects inside.
  let isFlat: Bool
  private let session: ReadSession
  private var statements: [Purpose: Statement] = [:]
  /// The one that is used most.
  private var insert: Statement?

  init(_ table: TableLayout, in session: ReadSession) {
    self.table = table
    self.session = session
    hasVersion = !table.objectType.isEmbedded
    let first: Int32 = hasVersion ? 3 : 2
    columns = table.columns.enumerated().map { index, column in
      Column(
        property: column.property, parameter: first + Int32(index), isMixed: column.layout.element == .mixed)
    }
    hasCollections = table.properties.contains { !$0.isColumn && $0.element != nil }
    isFlat =
      table.objectType.primaryKeyIndex != nil && table.properties.allSatisfy { $0.isColumn && !$0.leadsOn }
  }

  /// The statement for that purpose.
  subscript(_ purpose: Purpose) -> Statement {
    get throws(StorageError) {
      if case .insert = purpose, let insert { return insert }
      if let statement = statements[purpose] { return statement }
      let statement = try session.prepare(sql(for: purpose))
      statements[purpose] = statement
      if case .insert = purpose { insert = statement }
      return statement
    }
  }

  private func sql(for purpose: Purpose) -> String {
    let name = table.table
    switch purpose {
    case .find: return RowStatements.keyAndVersion(in: table)
    case .version: return RowStatements.version(in: table)
    case .identifier: return RowStatements.identifier(in: table)
    case .insert: return insertion
    case .delete: return "DELETE FROM \(name) WHERE _key = ?1"
    case .touch: return "UPDATE \(name) SET _version = ?1 WHERE _key = ?2"
    case .assign(let index):
      return "UPDATE \(name) SET \(table.properties[index].column) = ?1 WHERE _key = ?2"
    case .value(let index): return RowStatements.value(table.properties[index], in: table)
    case .insertElements, .clear, .elements, .entry, .removeEntry, .linkingEntries, .nullEntry, .owners,
      .unlink, .relink, .elementKey,
      .removeElement, .moveElement, .linkingElements:
      return childSQL(for: purpose)
    }
  }

  private var insertion: String {
    let own = hasVersion ? ["_key", "_version"] : ["_key"]
    let columns = own + table.columns.map(\.layout.column)
    let places = columns.indices.map { "?\($0 + 1)" }
    return
      "INSERT INTO \(table.table) (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
  }

  private func childSQL(for purpose: Purpose) -> String {
    switch purpose {
    case .insertElements(let index, let count): return insertion(of: count, into: table.properties[index])
    case .clear(let index): return "DELETE FROM \(table.properties[index].child) WHERE owner = ?1"
    case .elements(let index): return ElementStatements.values(table.properties[index])
    case .entry(let index): return ElementStatements.valueAtKey(table.properties[index])
    case .removeEntry(let index):
      return "DELETE FROM \(table.properties[index].child) WHERE owner = ?1 AND key = ?2"
    case .linkingEntries(let index): return ElementStatements.ownersAndKeys(table.properties[index])
    case .nullEntry(let index):
      return "UPDATE \(table.properties[index].child) SET value = NULL WHERE owner = ?1 AND key = ?2"
    case .owners(let index): return owners(of: table.properties[index])
    case .unlink(let index): return unlinking(table.properties[index])
    case .relink(let index):
      let layout = table.properties[index]
      let (place, column) = layout.isColumn ? (table.table, layout.column) : (layout.child, "value")
      return "UPDATE \(place) SET \(column) = ?1 WHERE \(column) = ?2"
    case .elementKey(let index): return ElementStatements.valueAtPosition(table.properties[index])
    case .removeElement(let index):
      return "DELETE FROM \(table.properties[index].child) WHERE owner = ?1 AND position = ?2"
    case .moveElement(let index): return ElementStatements.move(table.properties[index])
    case .linkingElements(let index): return ElementStatements.ownersAndPositions(table.properties[index])
    case .find, .version, .identifier, .insert, .delete, .touch, .assign, .value: return sql(for: purpose)
    }
  }

  private func insertion(of count: Int, into layout: PropertyLayout) -> String {
    let (conflict, columns) =
      switch layout.property.type {
      case .list: ("REPLACE", ["position", "value"])
      case .map: ("REPLACE", ["key", "value"])
      // A set holds a value once.
      case .set, .one, .linkingObjects: ("IGNORE", ["value"])
      }
    let rows = (0..<count).map { row in
      let values = columns.indices.map { "?\(2 + row * columns.count + $0)" }
      return "(?1, \(values.joined(separator: ", ")))"
    }
    return """
      INSERT OR \(conflict) INTO \(layout.child) (owner, \(columns.joined(separator: ", "))) \
      VALUES \(rows.joined(separator: ", "))
      """
  }

  private func owners(of layout: PropertyLayout) -> String {
    layout.isColumn
      ? RowStatements.owners(layout, in: table) : ElementStatements.distinctOwners(layout)
  }

  private func unlinking(_ layout: PropertyLayout) -> String {
    switch layout.property.type {
    case .one: "UPDATE \(table.table) SET \(layout.column) = NULL WHERE \(layout.column) = ?1"
    case .list, .set, .map, .linkingObjects: "DELETE FROM \(layout.child) WHERE value = ?1"
    }
  }
}

extension PropertyLayout {
  /// Whether a value may be a link or an object of its own.
  fileprivate var leadsOn: Bool {
    if case .object? = element { true } else { element == .mixed }
  }
}
