import GatehouseSQLite
import GatehouseStorage

/// All that a file holds, read by SQL that is none of the store's: the schema and the rows of every table, with their rowids.
public struct FileContent: Equatable, Sendable {
  /// The statements that made it, in the order of their names.
  public let schema: [String]
  /// By table.
  public let rows: [String: [String]]

  public init(_ path: String) throws {
    let connection = try Connection(path: path, mode: .readOnly)
    // Tables are sorted by collations of the store's.
    try SQLFunctions.register(on: connection)
    try connection.execute("BEGIN")
    func texts(_ sql: String) throws -> [String] {
      let statement = try connection.prepare(sql)
      var texts: [String] = []
      while try statement.step() {
        texts.append(
          (0..<statement.columnCount).map { FileContent.text(statement, $0) }.joined(separator: "|"))
      }
      return texts
    }
    schema = try texts("SELECT name || ': ' || ifnull(sql, '') FROM sqlite_schema ORDER BY name")
    var rows: [String: [String]] = [:]
    for name in try texts("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      let table = "\"\(name.dropFirst().replacing("\"", with: "\"\""))\""
      let hasRowid = (try? connection.prepare("SELECT _rowid_ FROM \(table)")) != nil
      rows[name] = try texts(
        hasRowid ? "SELECT _rowid_, * FROM \(table) ORDER BY _rowid_" : "SELECT * FROM \(table)"
      ).sorted()
    }
    self.rows = rows
  }

  /// The value with its storage class, to the last bit.
  private static func text(_ statement: Statement, _ column: Int32) -> String {
    switch statement.storageClass(at: column) {
    case .null: "n"
    case .integer: "i\(statement.int64(at: column))"
    case .real: "r\(statement.double(at: column).bitPattern)"
    case .text: "t\(statement.string(at: column))"
    // Long ones by their hash.
    case .blob where statement.blob(at: column).count > 1000:
      "b\(statement.blob(at: column).count) \(statement.bytes(at: column).hashValue)"
    case .blob: "b\(statement.bytes(at: column))"
    }
  }

  /// The first differences to another file.
  public func differences(to other: FileContent) -> [String] {
    var found: [String] = []
    if schema != other.schema {
      found.append("schema: \(Set(schema).symmetricDifference(other.schema).sorted().prefix(4))")
    }
    for name in Set(rows.keys).union(other.rows.keys).sorted() where rows[name] != other.rows[name] {
      let (mine, theirs) = (rows[name] ?? [], other.rows[name] ?? [])
      found.append(
        "\(name): \(mine.filter { !theirs.contains($0) }.prefix(3)) ≠ \(theirs.filter { !mine.contains($0) }.prefix(3))"
      )
    }
    return found
  }

  public var rowCount: Int { rows.values.reduce(0) { $0 + $1.count } }
}
