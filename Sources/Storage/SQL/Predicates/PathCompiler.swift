import GatehouseModel
import GatehouseQuery

/// The rows of one object, as SQL text sees them.
struct RowAlias {
  let name: String
  let table: TableLayout

  /// Whether these are the objects that the plan asks for.
  var isPlanned: Bool { name == Self.planned }

  /// The name of the plan's own objects.
  static let planned = "t"

  /// The object's key.
  var key: SQLText { "\(raw: name)._key" }

  /// The column of a property.
  func column(_ property: Int) -> SQLText {
    "\(raw: name).\(raw: table.properties[property].column)"
  }
}

/// A path from one object to others as joined tables.
struct PathRows {
  /// The tables that come after FROM.
  var tables: [SQLText] = []
  /// The conditions that join them to each other, and to the object that the path starts at.
  var conditions: [SQLText] = []
  /// The rows at the end so far.
  var row: RowAlias
  /// The two sides of the first join condition: a column of the first rows, and one of the object that the path starts at.
  var tie: (first: SQLText, object: SQLText)?

  /// Adds the condition that holds a new table to what is there.
  mutating func tie(_ column: SQLText, to other: SQLText) {
    if conditions.isEmpty { tie = (column, other) }
    conditions.append("\(column) = \(other)")
  }

  /// `EXISTS` of rows that fulfil `condition` as well.
  func exists(_ condition: SQLText?) -> SQLText {
    let all = conditions + (condition.map { [$0] } ?? [])
    return """
      EXISTS (SELECT 1 FROM \(SQLText.joined(tables, ", ")) WHERE \(SQLText.joined(all, " AND ")))
      """
  }

  /// The object's end of the tie `IN` the rows' end of it where they fulfil `condition`, so that SQLite can begin
  /// at the rows. Null where the object's end is.
  func start(of condition: SQLText) -> SQLText? {
    guard let tie else { return nil }
    let all = Array(conditions.dropFirst()) + ["\(tie.first) IS NOT NULL", condition]
    return """
      \(tie.object) IN (SELECT \(tie.first) FROM \(SQLText.joined(tables, ", ")) \
      WHERE \(SQLText.joined(all, " AND ")))
      """
  }

  /// How many rows there are.
  var count: SQLText {
    """
    (SELECT count(*) FROM \(SQLText.joined(tables, ", ")) WHERE \(SQLText.joined(conditions, " AND ")))
    """
  }
}

/// Turns key paths into SQL. Nil: it can't be said here, and the evaluator has to.
///
/// Under a visibility, a hop leads only to objects for which `visible` holds, and links inside mixed values are
/// `concealed` (``Residuals``).
struct PathCompiler {
  let catalog: Catalog
  /// The part of the objects on the way that may be seen; nil: all.
  var visibility: Visibility?
  private var aliases = 0

  init(_ catalog: Catalog, _ visibility: Visibility? = nil) {
    self.catalog = catalog
    self.visibility = visibility
  }

  /// The condition under which the object of a row may be seen; nil where all of its class may. An embedded object may be
  /// where the one that it was reached from may; `isLinking`: it was not reached from one that holds it.
  func visible(_ row: RowAlias, isLinking: Bool = false) throws(StorageError) -> SQLText? {
    let name = row.table.objectType.name
    let concealed = isLinking ? visibility?.concealed : visibility?.restricted
    guard concealed?.contains(name) == true else { return nil }
    return "visible(\(raw: String(try catalog.index(of: name))), \(row.key))"
  }

  /// Whether links have to be concealed in the property's values.
  private func isConcealed(_ layout: PropertyLayout) -> Bool {
    layout.element == .mixed && visibility?.restricted.isEmpty == false
  }

  /// The value of a column of the property, as it may be seen.
  private func concealed(_ value: SQLText, _ layout: PropertyLayout) -> SQLText {
    isConcealed(layout) ? "concealed(\(value))" : value
  }

  /// An alias that the statement does not have yet.
  mutating func newAlias() -> String {
    aliases += 1
    return "t\(aliases)"
  }

  mutating func newRow(_ objectType: String) throws(StorageError) -> RowAlias {
    RowAlias(name: newAlias(), table: try catalog.table(objectType))
  }

  /// The one value that a path of to-one links yields, null where a link on the way is null.
  ///
  /// An element of a list or map that is not there is no value, which is not the same as null: only where
  /// neither fulfils what is asked, `takingMissingForNull`, SQL can say it.
  mutating func value(
    of path: KeyPath, from row: RowAlias, takingMissingForNull: Bool = false
  ) throws(StorageError) -> SQLText? {
    guard !path.isToMany else { return nil }
    return try value(of: path, hops: path.hops[...], from: row, takingMissingForNull)
  }

  private mutating func value(
    of path: KeyPath, hops: ArraySlice<Hop>, from row: RowAlias, _ takingMissingForNull: Bool
  ) throws(StorageError) -> SQLText? {
    guard let hop = hops.first else {
      return end(of: path, row) ?? (takingMissingForNull ? element(of: path.end, row) : nil)
    }
    guard let link = try link(of: hop, row) else { return nil }
    let next = try newRow(hop.target)
    let visible = try visible(next)
    // The last link itself is the value.
    if hops.count == 1, case .object = path.end, visible == nil { return link }
    let endsHere = if hops.count == 1, case .object = path.end { true } else { false }
    let found =
      endsHere
      ? next.key : try value(of: path, hops: hops.dropFirst(), from: next, takingMissingForNull)
    guard let found else { return nil }
    let seen: SQLText = visible.map { " AND \($0)" } ?? ""
    return """
      (SELECT \(found) FROM \(raw: next.table.table) AS \(raw: next.name) \
      WHERE \(next.key) = \(link)\(seen))
      """
  }

  /// The key of the one object that the hop leads to, null where there is none; nil where it can lead to several.
  private mutating func link(of hop: Hop, _ row: RowAlias) throws(StorageError) -> SQLText? {
    switch hop.route {
    case .link(let property): row.column(property)
    // Which element it is depends on those that may be seen.
    case .element where visibility?.restricted.contains(hop.target) == true: nil
    case .element(let property, let position): element(of: property, at: position, row)
    case .entry(let property, let key): entry(of: property, key, row)
    case .elements, .linkingObjects: nil
    }
  }

  /// The column that the end of a path reads; nil where that is no column of the object there.
  func end(of path: KeyPath, _ row: RowAlias) -> SQLText? { column(of: path.end, row) }

  private func column(of end: KeyPath.End, _ row: RowAlias) -> SQLText? {
    switch end {
    case .key: row.key
    case .value(let property): concealed(row.column(property), row.table.properties[property])
    case .function(let function, let end, let type):
      column(of: end, row).flatMap { function.sql(of: $0, type: type) }
    case .object, .nested, .elements, .nestedElements, .element, .entry, .keys: nil
    }
  }

  /// One element of a list or entry of a map.
  private mutating func element(of end: KeyPath.End, _ row: RowAlias) -> SQLText? {
    switch end {
    case .entry(let map, let key, []): entry(of: map, key, row)
    case .element(let list, let position, []): element(of: list, at: position, row)
    case .function(let function, let end, let type):
      element(of: end, row).flatMap { function.sql(of: $0, type: type) }
    case .key, .object, .value, .nested, .elements, .nestedElements, .element, .entry, .keys: nil
    }
  }

  /// The value that is nested in an entry of a map, or in a mixed property, to order by: a link on the way leads nowhere. Nil where there
  /// may be several.
  mutating func part(of path: KeyPath, _ row: RowAlias) -> SQLText? {
    guard path.hops.isEmpty, !path.end.isToMany else { return nil }
    switch path.end {
    case .entry(let map, let key, let steps):
      return "mixed_part(\(entry(of: map, key, row)), \(bind: .blob(steps.encoded)))"
    case .nested(let property, let steps):
      let value = concealed(row.column(property), row.table.properties[property])
      return "mixed_part(\(value), \(bind: .blob(steps.encoded)))"
    case .object, .key, .value, .elements, .nestedElements, .element, .keys, .function: return nil
    }
  }

  private mutating func entry(of map: Int, _ key: ExactText, _ row: RowAlias) -> SQLText {
    let child = newAlias()
    return value(of: map, in: row, child: child, where: "\(raw: child).key = \(bind: .text(key.text))")
  }

  private mutating func element(of list: Int, at position: Position, _ row: RowAlias) -> SQLText {
    let child = newAlias()
    let place: SQLText =
      switch position {
      case .at(let index):
        "1 ORDER BY \(raw: child).position LIMIT 1 OFFSET \(bind: .integer(Int64(index)))"
      case .last: "1 ORDER BY \(raw: child).position DESC LIMIT 1"
      }
    return value(of: list, in: row, child: child, where: place)
  }

  /// One value of the rows of a child table, which are called `child`.
  private func value(
    of property: Int, in row: RowAlias, child: String, where place: SQLText
  ) -> SQLText {
    """
    (SELECT \(concealed("\(raw: child).value", row.table.properties[property])) \
    FROM \(raw: row.table.properties[property].child) AS \(raw: child) \
    WHERE \(raw: child).owner = \(row.key) AND \(place))
    """
  }

  /// The rows that a path's hops lead to, and those of the collection at its end.
  ///
  /// Returns the rows and the value of each; nil where the path has no hop or collection, or one that joins
  /// can't say.
  mutating func rows(
    of path: KeyPath, from row: RowAlias
  ) throws(StorageError) -> (rows: PathRows, value: SQLText)? {
    var rows = PathRows(row: row)
    for hop in path.hops {
      guard try join(hop, to: &rows) else { return nil }
    }
    guard let value = values(of: path, path.end, &rows) else { return nil }
    return (rows, value)
  }

  /// The value of each row for the end of the path, whose tables are joined.
  private mutating func values(of path: KeyPath, _ end: KeyPath.End, _ rows: inout PathRows) -> SQLText? {
    switch end {
    case .elements(let property), .keys(let property):
      let child = newAlias()
      rows.tables.append("\(raw: rows.row.table.properties[property].child) AS \(raw: child)")
      rows.tie("\(raw: child).owner", to: rows.row.key)
      if case .keys = end { return "\(raw: child).key" }
      let layout = rows.row.table.properties[property]
      guard isConcealed(layout) else { return "\(raw: child).value" }
      let value: SQLText = "concealed(\(raw: child).value)"
      if layout.property.type.dropsHiddenLinks {
        rows.conditions.append("(\(raw: child).value IS NULL OR \(value) IS NOT NULL)")
      }
      return value
    case .object: return path.hops.isEmpty ? nil : rows.row.key
    case .key, .value: return path.hops.isEmpty ? nil : column(of: end, rows.row)
    case .function(let function, let end, let type):
      return values(of: path, end, &rows).flatMap { function.sql(of: $0, type: type) }
    case .nested, .nestedElements, .element, .entry: return nil
    }
  }

  private mutating func join(_ hop: Hop, to rows: inout PathRows) throws(StorageError) -> Bool {
    let next = try newRow(hop.target)
    switch hop.route {
    case .link(let property):
      rows.tie(next.key, to: rows.row.column(property))
    case .elements(let property):
      let child = newAlias()
      rows.tables.append("\(raw: rows.row.table.properties[property].child) AS \(raw: child)")
      rows.tie("\(raw: child).owner", to: rows.row.key)
      rows.conditions.append("\(next.key) = \(raw: child).value")
    case .linkingObjects(_, let property):
      let layout = next.table.properties[property]
      // No column has links that are inside mixed values.
      if layout.element == .mixed { return false }
      if layout.isColumn {
        rows.tie(next.column(property), to: rows.row.key)
      } else {
        let child = newAlias()
        rows.tables.append("\(raw: layout.child) AS \(raw: child)")
        rows.tie("\(raw: child).value", to: rows.row.key)
        rows.conditions.append("\(next.key) = \(raw: child).owner")
      }
    case .element, .entry: return false
    }
    rows.tables.append("\(raw: next.table.table) AS \(raw: next.name)")
    let isLinking = if case .linkingObjects = hop.route { true } else { false }
    if let visible = try visible(next, isLinking: isLinking) { rows.conditions.append(visible) }
    rows.row = next
    return true
  }
}

extension [KeyPath.Step] {
  /// The steps for `mixed_part`: a list of keys and of places, of which -1 is the last one.
  fileprivate var encoded: [UInt8] {
    Mixed.list(
      map { step in
        switch step {
        case .key(let key): .string(key.text)
        case .position(.at(let index)): .int(Int64(index))
        case .position(.last): .int(-1)
        case .all, .keys: .null
        }
      }
    ).encoded
  }
}
