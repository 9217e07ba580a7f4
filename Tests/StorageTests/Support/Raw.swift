import GatehouseSQLite

/// A look into the file that does not go through the store.
struct Raw {
  private let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(path: path, mode: .readOnly)
  }

  func integer(_ sql: String) throws -> Int64 {
    let statement = try connection.prepare(sql)
    return try statement.step() ? statement.int64(at: 0) : -1
  }

  /// The first column of every row, as text.
  func texts(_ sql: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.string(at: 0)) }
    return texts
  }

  /// Changes the file behind the store's back.
  static func execute(_ sql: String, on path: String) throws {
    try Connection(path: path, mode: .readWrite).execute(sql)
  }
}
