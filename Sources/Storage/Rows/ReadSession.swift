import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// One connection and the catalog that its statements were made for.
///
/// Readers of rows hold their session unowned: it owns them, through its caches.
final class ReadSession {
  /// Which names properties have in what is written.
  enum Naming {
    case client
    case stored
  }

  let connection: Connection
  let catalog: Catalog
  let naming: Naming
  /// Counts the answers: bytes of one are nowhere in another.
  var answer = 0
  /// Who wants to know which objects are written; nil: nobody.
  var observer: ReadTracker?

  /// How many parts of objects have been read by themselves.
  private var parts: UInt64 = 0

  /// In bytes of SQL; a statement takes a few times as much.
  private var recent = GenerationalCache<String, Statement>(budget: 2 << 20)

  init(_ connection: Connection, catalog: Catalog, naming: Naming = .client) {
    self.connection = connection
    self.catalog = catalog
    self.naming = naming
  }

  /// Compiles a statement that whoever asked for it keeps.
  func prepare(_ sql: String) throws(StorageError) -> Statement {
    do { return try connection.prepare(sql) } catch { throw StorageError(error) }
  }

  /// A statement from the connection's cache; `sql` comes from the schema, not from requests.
  func cached(_ sql: String) throws(StorageError) -> Statement {
    do { return try connection.cached(sql) } catch { throw StorageError(error) }
  }

  /// A statement from a bounded cache, for what comes from requests. Whoever asked for it resets it.
  func recent(_ sql: String) throws(StorageError) -> Statement {
    if let statement = recent[sql] { return statement }
    let statement = try prepare(sql)
    recent.add(statement, for: sql, cost: sql.utf8.count + 1024)
    return statement
  }

  /// The name that a property has in what is written.
  func name(of property: Property) -> String {
    switch naming {
    case .client: property.name
    case .stored: property.storedName
    }
  }

  /// Counts a read of one object or its elements, whose statement is too short for SQLite to look at the connection's
  /// limits: a page may need any number of them.
  @inline(__always)
  func countPart() throws(StorageError) {
    parts &+= 1
    if parts & 127 == 0, connection.mustStop { throw .timeLimit }
  }

  /// Counts bytes that are copied like reads of so many objects as they would be.
  func countParts(ofBytes count: Int) throws(StorageError) {
    for _ in 0...(count >> 9) { try countPart() }
  }

  /// Goes to the statement's next row.
  @inline(__always)
  func step(_ statement: Statement) throws(StorageError) -> Bool {
    do { return try statement.step() } catch { throw StorageError(error) }
  }

  /// The first column of the first row, as an integer; nil where there is no row. Resets the statement.
  func integer(_ statement: Statement) throws(StorageError) -> Int64? {
    defer { statement.reset() }
    return try step(statement) ? statement.int64(at: 0) : nil
  }

  /// Returns the primary key of the object, or its object key, by which clients identify it; null where there is none.
  func identifier(of link: ObjectLink) throws(StorageError) -> Mixed {
    let table = try catalog.table(link.objectType)
    let statement = try cached("SELECT \(table.identifierColumn) FROM \(table.table) WHERE _key = ?1")
    statement.bind(link.key.value, at: 1)
    defer { statement.reset() }
    return try step(statement) ? statement.value(as: table.identifierType, at: 0) : .null
  }

  /// Like a BSON value, typed links as `{"$ref":class,"$id":primary key}`.
  func value(of mixed: Mixed) throws(StorageError) -> Value {
    switch mixed {
    case .link(let link):
      let id = try value(of: identifier(of: link))
      return .document(["$ref": .string(link.objectType), "$id": id])
    case .list(let values):
      var elements: [Value] = []
      for element in values { elements.append(try value(of: element)) }
      return .array(elements)
    case .dictionary(let entries):
      var document = Document()
      for entry in entries { document.append(entry.key, try value(of: entry.value)) }
      return .document(document)
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .int64(value)
    case .float(let value): return .double(Double(value))
    case .double(let value): return .double(value)
    case .decimal128(let value): return .decimal128(value)
    case .string(let value): return .string(value)
    case .data(let value): return .binary(Binary(bytes: value))
    case .date(let value): return .date(value)
    case .objectID(let value): return .objectID(value)
    case .uuid(let value): return .uuid(value)
    }
  }

  /// SQL that gives the objects of class `objectType` whose `property` links to object `?1`, once per link.
  func linkingObjects(
    _ objectType: String, by property: String, _ elements: ElementColumn
  ) throws(StorageError) -> String {
    let table = try catalog.table(objectType)
    guard let index = table.objectType.index(of: property) else { throw .corrupt("linking objects") }
    let layout = table.properties[index]
    let expression = elements.expression(for: "t._key")
    if layout.isColumn {
      return "SELECT \(expression) FROM \(table.table) AS t WHERE t.\(layout.column) = ?1 ORDER BY t._key"
    }
    return """
      SELECT \(expression) FROM \(layout.child) AS c JOIN \(table.table) AS t ON t._key = c.owner \
      WHERE c.value = ?1 ORDER BY t._key
      """
  }
}
