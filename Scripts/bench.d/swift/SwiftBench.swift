import CGatehouseSQLite
import Foundation
import RealmSwift

/// Measures Realms in this process, and the C interface of SQLite on the same work. Prints nanoseconds a piece.
@main
enum SwiftBench {
  final class Item: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var price: Double
    @Persisted var count: Int
    @Persisted var isNew: Bool
  }

  static let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000

  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    print("\(count) objects of five properties; nanoseconds a piece, the best of five:")
    try realm(at: folder.appendingPathComponent("realm"))
    try sqlite(at: folder.appendingPathComponent("sqlite").path)
  }

  /// Prints the least time that one of several runs took, divided by the number of pieces.
  static func measure(_ name: String, pieces: Int = count, runs: Int = 5, _ body: () throws -> Void) rethrows
  {
    var best = Duration.seconds(1_000_000)
    for _ in 0..<runs {
      let time = try ContinuousClock().measure(body)
      best = min(best, time)
    }
    let nanoseconds = Double(best.components.seconds) * 1e9 + Double(best.components.attoseconds) / 1e9
    let padded = name.padding(toLength: 44, withPad: " ", startingAt: 0)
    print(padded, String(format: "%12.1f", nanoseconds / Double(pieces)))
  }

  private static func realm(at url: URL) throws {
    let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Item.self]))
    var next = 0
    try measure("Realm: add in one write", runs: 3) {
      try realm.write {
        for _ in 0..<count {
          let item = Item()
          item.id = next
          item.name = "item \(next)"
          item.price = Double(next)
          item.count = next
          realm.add(item)
          next += 1
        }
      }
    }
    let items = realm.objects(Item.self).where { $0.id < count }
    var sum = 0
    measure("Realm: go through all, read two properties") {
      realm.refresh()
      for item in realm.objects(Item.self).where({ $0.id < count }) {
        sum &+= item.count &+ item.name.utf8.count
      }
    }
    guard let first = items.first else { return }
    var total = 0
    let reads = 10_000_000
    measure("Realm: get an Int of one object", pieces: reads) { for _ in 0..<reads { total &+= first.count } }
    measure("Realm: get a String of one object", pieces: reads) {
      for _ in 0..<reads { total &+= first.name.utf8.count }
    }
    let unmanaged = Item()
    unmanaged.name = "another one, of more than fifteen bytes"
    measure("no Realm: get an Int", pieces: reads) { for _ in 0..<reads { total &+= unmanaged.count } }
    measure("no Realm: get a String", pieces: reads) {
      for _ in 0..<reads { total &+= unmanaged.name.utf8.count }
    }
    measure("Realm: find by primary key") {
      for id in 0..<count { total &+= realm.object(ofType: Item.self, forPrimaryKey: id)?.count ?? 0 }
    }
    try measure("Realm: set an Int of each in one write") {
      try realm.write { for item in items { item.count &+= 1 } }
    }
    print("checksum \(sum &+ total)")
  }

  // SQLite

  private static func sqlite(at path: String) throws {
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    defer { sqlite3_close(database) }
    func run(_ sql: String) { sqlite3_exec(database, sql, nil, nil, nil) }
    func prepare(_ sql: String) -> OpaquePointer? {
      var statement: OpaquePointer?
      sqlite3_prepare_v2(database, sql, -1, &statement, nil)
      return statement
    }
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    run("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, count INTEGER, isNew INTEGER)")
    let insert = prepare("INSERT INTO item VALUES (?1, ?2, ?3, ?4, 0)")
    var next = 0
    measure("SQLite: insert in one transaction", runs: 3) {
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
    sqlite3_finalize(insert)
    var sum: Int64 = 0
    let all = prepare("SELECT count, name FROM item WHERE id < \(count)")
    measure("SQLite: go through all, read two columns") {
      while sqlite3_step(all) == SQLITE_ROW {
        sum &+= sqlite3_column_int64(all, 0) &+ Int64(strlen(sqlite3_column_text(all, 1)))
      }
      sqlite3_reset(all)
    }
    sqlite3_finalize(all)
    let one = prepare("SELECT count FROM item WHERE id = ?1")
    measure("SQLite: find by primary key, read a column") {
      for id in 0..<count {
        sqlite3_bind_int64(one, 1, Int64(id))
        if sqlite3_step(one) == SQLITE_ROW { sum &+= sqlite3_column_int64(one, 0) }
        sqlite3_reset(one)
      }
    }
    sqlite3_finalize(one)
    let set = prepare("UPDATE item SET count = count + 1 WHERE id = ?1")
    measure("SQLite: update a column of each in one transaction") {
      run("BEGIN IMMEDIATE")
      for id in 0..<count {
        sqlite3_bind_int64(set, 1, Int64(id))
        _ = sqlite3_step(set)
        sqlite3_reset(set)
      }
      run("COMMIT")
    }
    sqlite3_finalize(set)
    print("checksum \(sum)")
  }
}
