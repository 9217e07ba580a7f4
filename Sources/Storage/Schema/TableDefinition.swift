import GatehouseModel

/// The SQL that creates a class' tables and indexes.
extension TableLayout {
  /// The class' own table.
  var definition: String {
    let own = objectType.isEmbedded ? [] : ["_version INTEGER NOT NULL"]
    let columns = columns.map { $0.layout.columnDefinition }
    let all = ["_key INTEGER PRIMARY KEY"] + own + columns
    return "CREATE TABLE \(table) (\(all.joined(separator: ", ")))"
  }

  /// Everything that a property needs beside its column.
  func definitions(of layout: PropertyLayout) -> [String] {
    var definitions: [String] = []
    if let child = layout.childDefinition { definitions.append(contentsOf: child) }
    if let index = indexDefinition(of: layout) { definitions.append(index) }
    return definitions
  }

  /// The index that finds objects by the property, if it is to have one.
  func indexDefinition(of layout: PropertyLayout) -> String? {
    guard let name = layout.name, let kind = indexKind(of: layout) else { return nil }
    let unique = kind == .unique ? "UNIQUE " : ""
    // Numbers of all types that are equal are one value.
    let column = kind == .unique ? layout.member(quoted(name)) : quoted(name)
    let place = layout.isColumn ? "\(table) (\(column))" : "\(quoted(name)) (value)"
    return "CREATE \(unique)INDEX \(indexName(of: layout)) ON \(place)"
  }

  func indexName(of layout: PropertyLayout) -> String {
    quoted(bareIndexName(of: layout))
  }

  /// The same as SQLite has it in its schema.
  func bareIndexName(of layout: PropertyLayout) -> String {
    // A child table's name begins with the class' already.
    let place = layout.name ?? layout.property.storedName
    return layout.isColumn ? "\(name).\(place)#index" : "\(place)#index"
  }

  enum IndexKind {
    case unique
    case plain
  }

  /// Links are always indexed: linking objects and deletions look them up.
  func indexKind(of layout: PropertyLayout) -> IndexKind? {
    if objectType.primaryKey?.storedName == layout.property.storedName { return .unique }
    if layout.property.isUnique { return .unique }
    if case .object? = layout.element { return .plain }
    return layout.property.index == .general ? .plain : nil
  }
}

extension PropertyLayout {
  fileprivate var columnDefinition: String {
    "\(column) \(ColumnCoding.declaration(of: element ?? .mixed))"
  }

  /// The statement that adds the column to a table that is there.
  func addition(to table: TableLayout) -> String {
    "ALTER TABLE \(table.table) ADD COLUMN \(columnDefinition)"
  }

  /// The child table of a list, set or map.
  fileprivate var childDefinition: [String]? {
    guard let name, let element else { return nil }
    let value = "value \(ColumnCoding.declaration(of: element))"
    switch property.type {
    case .one, .linkingObjects: return nil
    case .list:
      return [
        """
        CREATE TABLE \(child) (owner INTEGER NOT NULL, position INTEGER NOT NULL, \(value), \
        PRIMARY KEY (owner, position)) WITHOUT ROWID
        """
      ]
    case .map:
      return [
        """
        CREATE TABLE \(child) (owner INTEGER NOT NULL, key TEXT NOT NULL, \(value), \
        PRIMARY KEY (owner, key)) WITHOUT ROWID
        """
      ]
    // The key of a table without rowid must be a column, and not be null.
    case .set(_, optional: true), .set(.mixed, _):
      return [
        "CREATE TABLE \(child) (owner INTEGER NOT NULL, \(value))",
        "CREATE UNIQUE INDEX \(quoted("\(name)#value")) ON \(child) (owner, \(member("value")))",
      ]
    case .set:
      return [
        """
        CREATE TABLE \(child) (owner INTEGER NOT NULL, \(value), PRIMARY KEY (owner, value)) WITHOUT ROWID
        """
      ]
    }
  }
}
