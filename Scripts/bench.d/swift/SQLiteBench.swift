import CGatehouseSQLite
import Foundation

/// The same work by the C interface of SQLite.
struct SQLiteBench {
  private let path: String
  private let database: OpaquePointer?
  private let count: Int

  init(at path: String, count: Int) {
    self.path = path
    self.count = count
    database = SQLiteBench.open(path)
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    run("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, count INTEGER, isNew INTEGER)")
  }

  private static func open(_ path: String) -> OpaquePointer? {
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    return database
  }

  private func run(_ sql: String) { sqlite3_exec(database, sql, nil, nil, nil) }

  private static func prepare(_ sql: String, _ database: OpaquePointer?) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    return statement
  }

  private func with<Result>(_ sql: String, _ body: (OpaquePointer?) -> Result) -> Result {
    let statement = SQLiteBench.prepare(sql, database)
    defer { sqlite3_finalize(statement) }
    return body(statement)
  }

  func run() throws {
    insert()
    let sum = goThrough() &+ find()
    update()
    sqlite3_close(database)
    open()
    print("checksum \(sum)")
  }

  private func insert() {
    with("INSERT INTO item VALUES (?1, ?2, ?3, ?4, 0)") { insert in
      var next = 0
      SwiftBench.measure("SQLite: insert in one transaction", runs: 3) {
        run("BEGIN IMMEDIATE")
        for _ in 0..<count {
          sqlite3_bind_int64(insert, 1, Int64(next))
          let name = "item \(next)"
          name.withCString { text in
            sqlite3_bind_text(insert, 2, text, -1, nil)
            sqlite3_bind_double(insert, 3, Double(next))
            sqlite3_bind_int64(insert, 4, Int64(next))
            _ = sqlite3_step(insert)
          }
          sqlite3_reset(insert)
          next += 1
        }
        run("COMMIT")
      }
    }
  }

  private func goThrough() -> Int64 {
    with("SELECT count, name FROM item WHERE id < \(count)") { all in
      var sum: Int64 = 0
      SwiftBench.measure("SQLite: go through all, read two columns") {
        while sqlite3_step(all) == SQLITE_ROW {
          sum &+= sqlite3_column_int64(all, 0) &+ Int64(strlen(sqlite3_column_text(all, 1)))
        }
        sqlite3_reset(all)
      }
      return sum
    }
  }

  private func find() -> Int64 {
    with("SELECT count FROM item WHERE id = ?1") { one in
      var sum: Int64 = 0
      SwiftBench.measure("SQLite: find by primary key, read a column") {
        for id in 0..<count {
          sqlite3_bind_int64(one, 1, Int64(id))
          if sqlite3_step(one) == SQLITE_ROW { sum &+= sqlite3_column_int64(one, 0) }
          sqlite3_reset(one)
        }
      }
      return sum
    }
  }

  private func update() {
    with("UPDATE item SET count = count + 1 WHERE id = ?1") { set in
      SwiftBench.measure("SQLite: update a column of each in one transaction") {
        run("BEGIN IMMEDIATE")
        for id in 0..<count {
          sqlite3_bind_int64(set, 1, Int64(id))
          _ = sqlite3_step(set)
          sqlite3_reset(set)
        }
        run("COMMIT")
      }
      SwiftBench.measure("SQLite: update a column in a transaction of its own", pieces: 1000, runs: 3) {
        for _ in 0..<1000 {
          sqlite3_bind_int64(set, 1, 0)
          _ = sqlite3_step(set)
          sqlite3_reset(set)
        }
      }
    }
  }

  private func open() {
    SwiftBench.measure("SQLite: open, read a row", pieces: 1) {
      let database = SQLiteBench.open(path)
      let one = SQLiteBench.prepare("SELECT count FROM item WHERE id = 0", database)
      precondition(sqlite3_step(one) == SQLITE_ROW)
      sqlite3_finalize(one)
      sqlite3_close(database)
    }
  }
}
