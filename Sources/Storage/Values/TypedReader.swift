public import GatehouseModel
public import GatehouseQuery
import GatehouseSQLite

/// Reads objects as values by the places of their properties, on one connection, in the state of the file that it has open.
///
/// Classes and properties are named by their positions in ``schema``. Used by one thread at a time.
public final class TypedReader {
  let session: ReadSession
  private let residuals: Residuals
  /// For each class, the statement that reads a row by its key.
  private var rows: [Statement?]
  /// For each class, the statement that finds a row by what clients identify it by.
  private var finders: [Statement?]
  /// For each class, its properties as they are read; empty: they were not asked for yet.
  private var columns: [[Column]]

  /// How a property is read from the class' table.
  private struct Column {
    /// Nil: it has no column.
    let type: ElementType?
    /// The form of the values; nil: they are links, or there is no column.
    let form: ColumnForm?
  }

  init(_ session: ReadSession, _ residuals: Residuals) {
    self.session = session
    self.residuals = residuals
    let count = session.catalog.tables.count
    rows = Array(repeating: nil, count: count)
    finders = rows
    columns = Array(repeating: [], count: count)
  }

  /// Returns a reader on the same connection for another catalog; this one is not used any more.
  func of(_ catalog: Catalog) -> TypedReader {
    session.connection.clearCache()
    return TypedReader(ReadSession(session.connection, catalog: catalog), residuals)
  }

  public var schema: Schema { session.catalog.schema }

  /// The generation of the schema, which goes up with every change of it.
  public var generation: Int64 { session.catalog.generation }

  private var tables: [TableLayout] { session.catalog.tables }

  // Objects

  /// Returns the values of the properties that are no collections, null in the places of the others; nil where there is
  /// no such object.
  public func values(of row: RowAddress) throws(StorageError) -> [Mixed]? {
    let statement = try statement(for: row.table)
    statement.bind(row.key, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    var values: [Mixed] = []
    try append(statement, of: row.table, from: 0, to: &values)
    return values
  }

  /// Returns the values of objects of a class, which are read in one go where their keys lie close together.
  public func page(of keys: [Int64], in table: Int) throws(StorageError) -> ObjectPage {
    var values: [Mixed] = []
    values.reserveCapacity(keys.count * tables[table].properties.count)
    var starts: [Int?] = Array(repeating: nil, count: keys.count)
    let order = keys.indices.sorted { keys[$0] < keys[$1] }
    guard let first = order.first, let last = order.last,
      keys[last] - keys[first] < 4 * Int64(keys.count)
    else {
      for (index, key) in keys.enumerated() {
        let statement = try statement(for: table)
        statement.bind(key, at: 1)
        defer { statement.reset() }
        guard try session.step(statement) else { continue }
        starts[index] = values.count
        try append(statement, of: table, from: 0, to: &values)
      }
      return ObjectPage(values: values, starts: starts)
    }
    let statement = try session.cached(RowStatements.objectsByKeys(columns(of: table), in: tables[table]))
    statement.bind(keys[first], at: 1)
    statement.bind(keys[last], at: 2)
    defer { statement.reset() }
    var next = 0
    while try session.step(statement) {
      let key = statement.int64(at: 0)
      while next < order.count, keys[order[next]] < key { next += 1 }
      guard next < order.count, keys[order[next]] == key else { continue }
      let start = values.count
      try append(statement, of: table, from: 1, to: &values)
      // A list may have an object more than once.
      while next < order.count, keys[order[next]] == key {
        starts[order[next]] = start
        next += 1
      }
    }
    return ObjectPage(values: values, starts: starts)
  }

  /// Whether there is such an object.
  public func exists(_ row: RowAddress) throws(StorageError) -> Bool {
    let statement = try session.cached(RowStatements.exists(in: tables[row.table]))
    statement.bind(row.key, at: 1)
    return try session.integer(statement) != nil
  }

  /// Returns the object that clients identify so; nil: there is none.
  public func find(_ id: Mixed, in table: Int) throws(StorageError) -> RowAddress? {
    let statement: Statement
    if let finder = finders[table] {
      statement = finder
    } else {
      statement = try session.prepare(RowStatements.keyOrNull(in: tables[table]))
      finders[table] = statement
    }
    statement.bind(id, as: tables[table].identifierType, at: 1)
    return try session.integer(statement).map { RowAddress(table: table, key: $0) }
  }

  /// Returns what clients identify an object by; nil where there is no such object.
  public func identifier(of row: RowAddress) throws(StorageError) -> Mixed? {
    guard let property = tables[row.table].objectType.primaryKeyIndex else {
      return try exists(row) ? .int(row.key) : nil
    }
    return try values(of: row)?[property]
  }

  /// The version of the commit that changed the object last; nil where there is none.
  public func version(of row: RowAddress) throws(StorageError) -> Int64? {
    let statement = try session.cached(RowStatements.version(in: tables[row.table]))
    statement.bind(row.key, at: 1)
    return try session.integer(statement)
  }

  private func statement(for table: Int) throws(StorageError) -> Statement {
    if let statement = rows[table] { return statement }
    let statement = try session.prepare(RowStatements.objectByKey(columns(of: table), in: tables[table]))
    rows[table] = statement
    return statement
  }

  private func columns(of table: Int) -> String {
    let columns = tables[table].columns.map { "t.\($0.layout.column)" }
    return columns.isEmpty ? "t._key" : columns.joined(separator: ", ")
  }

  /// Appends the values of the row that `row` stands on, from a column on.
  private func append(
    _ row: Statement, of table: Int, from first: Int32, to values: inout [Mixed]
  ) throws(StorageError) {
    if columns[table].isEmpty { columns[table] = tables[table].properties.map(TypedReader.column) }
    var place = first
    // A buffer lends its elements: an array would count references for each value.
    try columns[table].withUnsafeBufferPointer { columns throws(StorageError) in
      for index in columns.indices {
        switch columns[index].form {
        case .int? where !row.isNull(at: place): values.append(.int(row.int64(at: place)))
        case .string? where !row.isNull(at: place): values.append(.string(row.string(at: place)))
        case .bool? where !row.isNull(at: place): values.append(.bool(row.int64(at: place) != 0))
        default:
          guard let type = columns[index].type else {
            values.append(.null)
            continue
          }
          values.append(try row.value(as: type, at: place))
        }
        place += 1
      }
    }
  }

  private static func column(of layout: PropertyLayout) -> Column {
    guard layout.isColumn, let type = layout.element else { return Column(type: nil, form: nil) }
    if case .object = type { return Column(type: type, form: nil) }
    return Column(type: type, form: ColumnForm(type))
  }

  // Collections

  /// Returns the values of a list in its order, of a set in the order of values, of a map in the order of its keys.
  public func elements(_ property: Int, of row: RowAddress) throws(StorageError) -> [Mixed] {
    let layout = tables[row.table].properties[property]
    let sql: String
    switch layout.property.type {
    case .list: sql = ElementStatements.valuesByPosition(layout)
    case .map: sql = ElementStatements.valuesByKey(layout)
    case .set: sql = ElementStatements.set("c.value", layout, where: nil)
    case .one: return []
    case .linkingObjects(let objectType, let name):
      return try linkingObjects(objectType, name, to: row).map { key in
        .link(ObjectLink(objectType: objectType, key: key))
      }
    }
    let type = layout.element ?? .mixed
    return try rows(sql, of: row) { statement throws(StorageError) in try statement.value(as: type, at: 0) }
  }

  /// Returns the element of a list, or the value of a map's key; nil where there is none.
  public func element(
    at place: ElementPlace, in property: Int, of row: RowAddress
  ) throws(StorageError) -> Mixed? {
    let layout = tables[row.table].properties[property]
    let statement: Statement
    switch place {
    case .index(let index):
      statement = try session.cached(ElementStatements.valueFromStart(layout))
      statement.bind(Int64(index), at: 2)
    case .key(let key):
      statement = try session.cached(ElementStatements.valueAtKey(layout))
      statement.bind(key, at: 2)
    }
    statement.bind(row.key, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else { return nil }
    return try statement.value(as: layout.element ?? .mixed, at: 0)
  }

  /// Returns the keys of a map in order.
  public func keys(_ property: Int, of row: RowAddress) throws(StorageError) -> [String] {
    let layout = tables[row.table].properties[property]
    return try rows(ElementStatements.keys(layout), of: row) { $0.string(at: 0) }
  }

  /// Returns the number of elements of a list, set or map.
  public func count(_ property: Int, of row: RowAddress) throws(StorageError) -> Int {
    let layout = tables[row.table].properties[property]
    if case .linkingObjects = layout.property.type { return try elements(property, of: row).count }
    let statement = try session.cached(ElementStatements.count(layout))
    statement.bind(row.key, at: 1)
    return Int(try session.integer(statement) ?? 0)
  }

  private func linkingObjects(
    _ objectType: String, _ name: String, to row: RowAddress
  ) throws(StorageError) -> [ObjectKey] {
    guard let source = try session.catalog.table(objectType).objectType.index(of: name) else { return [] }
    let object = view(of: row)
    let keys = object.linkingObjects(objectType, source).map(\.key)
    try check(object.lookup)
    return keys
  }

  private func rows<Row>(
    _ sql: String, of row: RowAddress, _ read: (Statement) throws(StorageError) -> Row
  ) throws(StorageError) -> [Row] {
    let statement = try session.cached(sql)
    statement.bind(row.key, at: 1)
    defer { statement.reset() }
    var rows: [Row] = []
    while try session.step(statement) { rows.append(try read(statement)) }
    return rows
  }

  /// Returns the objects that a property of other classes' objects holds the embedded object in: its owner, the position of the
  /// property, and the place of the element; nil where it has none.
  public func place(
    ofEmbedded row: RowAddress
  ) throws(StorageError) -> (owner: RowAddress, property: Int, element: ElementPlace?)? {
    for link in session.catalog.incoming[row.table] {
      let source = tables[link.table]
      let layout = source.properties[link.property]
      let sql =
        layout.isColumn
        ? RowStatements.owners(layout, in: source) : ElementStatements.owners(layout)
      guard let key = try rows(sql, of: row, { $0.int64(at: 0) }).first else { continue }
      let owner = RowAddress(table: link.table, key: key)
      if layout.isColumn { return (owner, link.property, nil) }
      let elements = try elements(link.property, of: owner)
      guard
        let index = elements.firstIndex(where: {
          if case .link(let link) = $0 { link.key.value == row.key } else { false }
        })
      else { continue }
      if case .map = layout.property.type {
        return (owner, link.property, .key(try keys(link.property, of: owner)[index]))
      }
      return (owner, link.property, .index(index))
    }
    return nil
  }

  // Queries

  /// Returns the keys of the objects that a plan matches, in its order.
  public func keys(of plan: Plan) throws(StorageError) -> [Int64] {
    var keys: [Int64] = []
    try KeyFinder(session, residuals).forEachKey(of: plan) { keys.append($0) }
    return keys
  }

  /// Returns the number of the objects that a plan matches.
  public func count(_ plan: Plan) throws(StorageError) -> Int {
    var compiler = try PlanCompiler(plan, catalog: session.catalog)
    let sql = try compiler.count(plan)
    residuals.prepare(compiler.residuals, plan.visibility, in: session)
    let statement = try session.recent(sql.text)
    sql.bind(to: statement)
    return Int(try session.integer(statement) ?? 0)
  }

  /// Returns those of the objects, which are of the plan's class, that it matches, in its order: without one, in theirs.
  public func keys(of plan: Plan, among keys: [Int64]) throws(StorageError) -> [Int64] {
    let table = try session.catalog.index(of: plan.objectType)
    let lookup = PropertyLookup(session)
    let objects = keys.map { StoredObject(table: tables[table], key: ObjectKey($0), lookup: lookup) }
    let found = plan.evaluated(on: objects).map(\.key.value)
    try check(lookup)
    return found
  }

  /// Whether a predicate, which is bound to the object's class, holds for it.
  public func matches(_ predicate: Predicate, _ row: RowAddress) throws(StorageError) -> Bool {
    let object = view(of: row)
    let holds = predicate.matches(object)
    try check(object.lookup)
    return holds
  }

  /// Returns the values that a path leads to from an object.
  public func values(of path: KeyPath, from row: RowAddress) throws(StorageError) -> [Mixed] {
    let object = view(of: row)
    let values = path.values(of: object).flatMap(\.self)
    try check(object.lookup)
    return values
  }

  private func view(of row: RowAddress) -> StoredObject {
    StoredObject(table: tables[row.table], key: ObjectKey(row.key), lookup: PropertyLookup(session))
  }

  private func check(_ lookup: PropertyLookup) throws(StorageError) {
    if let failure = lookup.failure { throw failure }
  }

  // Observers

  /// Returns objects with all that they store, and the links that led to them; objects that are not there are left out.
  public func reads(
    of visits: [(row: RowAddress, link: PropertyPlace?)]
  ) throws(StorageError) -> [Observation.Read] {
    var builder = ObservationBuilder(session, ImageReader(session))
    return try builder.reads(
      of: visits.map { visit in
        (visit.row, visit.link.map { ReadTracker.Path(owner: $0.row, property: $0.property) })
      })
  }

  // The log

  /// The version of the last commit.
  public func version() throws(StorageError) -> Int64 { try LogReader(session: session).lastVersion() }

  /// Calls `body` with the changes of the commits behind `version`, in order. Throws ``StorageError/positionExpired`` where the
  /// log does not have all of them.
  public func forEachChange(
    after version: Int64, _ body: (LoggedChange) -> Void
  ) throws(StorageError) {
    let log = LogReader(session: session)
    let bounds = try log.bounds()
    let images = ImageReader(session)
    var position = try log.position(of: .after(LogPosition(version: version)), bounds)
    while true {
      let page = try log.page(
        after: position, through: bounds.last, limit: .max, objectType: nil, images)
      for change in page.changes { body(change) }
      if page.isLast { return }
      position = page.next
    }
  }

  /// Returns the value kept under a name; nil: there is none.
  public func record(_ name: Record.Name) throws(StorageError) -> [UInt8]? {
    try RecordTable(session).value(name)
  }
}
