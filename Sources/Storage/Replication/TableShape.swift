import GatehouseSQLite

/// The columns of a table in the file, and those that a row is found by.
struct TableShape {
  let columns: [String]
  /// The positions of the columns of the primary key; empty: rows are found by their rowid.
  let key: [Int]

  /// Nil: there is no such table.
  init?(of table: String, on connection: Connection) throws(DatabaseError) {
    let rows = try connection.prepare(ReplicationStatements.columns(of: table))
    var columns: [String] = []
    var key: [(rank: Int64, column: Int, isInteger: Bool)] = []
    while try rows.step() {
      let rank = rows.int64(at: 5)
      if rank > 0 { key.append((rank, columns.count, rows.string(at: 2) == "INTEGER")) }
      columns.append(rows.string(at: 1))
    }
    guard !columns.isEmpty else { return nil }
    self.columns = columns
    let isRowidOrKey = key.count == 1 && key[0].isInteger
    if key.isEmpty || !isRowidOrKey && TableShape.hasRowid(table, on: connection) {
      self.key = []
    } else {
      self.key = key.sorted { $0.rank < $1.rank }.map(\.column)
    }
  }

  private static func hasRowid(_ table: String, on connection: Connection) -> Bool {
    (try? connection.prepare(ReplicationStatements.rowids(of: table))) != nil
  }
}
