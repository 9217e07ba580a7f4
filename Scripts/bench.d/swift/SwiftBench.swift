import Dispatch
import Foundation
import RealmSwift

/// Measures Realms in this process, and the C interface of SQLite on the same work. Prints nanoseconds a piece, with what they should
/// be at most.
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
    print(
      "\(count) objects of five properties; nanoseconds a piece, the best of five runs, and the most they should be:"
    )
    let url = folder.appendingPathComponent("realm")
    let checksum = try measureObjects(at: url) &+ measureValues(at: url)
    try measureWrites(at: url)
    try measureCallbacks(at: url)
    try measureOpening(at: url)
    try SQLiteBench(at: folder.appendingPathComponent("sqlite").path, count: count).run()
    print("checksum \(checksum)")
  }

  /// Prints the least time that one of several runs took, divided by the number of pieces.
  static func measure(
    _ name: String, atMost limit: Int? = nil, pieces: Int = count, runs: Int = 5, _ body: () throws -> Void
  ) rethrows {
    var best = Duration.seconds(1_000_000)
    for _ in 0..<runs { best = min(best, try ContinuousClock().measure(body)) }
    report(name, best.nanoseconds / Double(pieces), atMost: limit)
  }

  static func report(_ name: String, _ nanoseconds: Double, atMost limit: Int? = nil) {
    let padded = name.padding(toLength: 58, withPad: " ", startingAt: 0)
    print(padded, String(format: "%12.1f", nanoseconds), limit.map { String(format: "%9d", $0) } ?? "")
  }

  private static func measureObjects(at url: URL) throws -> Int {
    let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Item.self]))
    var next = 0
    try measure("Realm: add in one write", atMost: 10_000, runs: 3) {
      try realm.write {
        for _ in 0..<count {
          realm.add(item(next))
          next += 1
        }
      }
    }
    var sum = 0
    measure("Realm: go through all, read two properties", atMost: 1000) {
      realm.refresh()
      for item in realm.objects(Item.self).where({ $0.id < count }) {
        sum &+= item.count &+ item.name.utf8.count
      }
    }
    measure("Realm: find by primary key, read a property") {
      for id in 0..<count { sum &+= realm.object(ofType: Item.self, forPrimaryKey: id)?.count ?? 0 }
    }
    let items = realm.objects(Item.self).where { $0.id < count }
    try measure("Realm: set an Int of each in one write") {
      try realm.write { for item in items { item.count &+= 1 } }
    }
    return sum
  }

  private static func item(_ number: Int) -> Item {
    let item = Item()
    item.id = number
    item.name = "item \(number)"
    item.price = Double(number)
    item.count = number
    return item
  }

  /// Reads properties again and again, in a Realm of the main queue, whose reads may be tracked, and in one of a thread.
  private static func measureValues(at url: URL) throws -> Int {
    var total = try measureValues(at: url, "the main queue")
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      _ = try? measureValues(at: url, "a thread")
      isDone.signal()
    }.start()
    isDone.wait()
    let unmanaged = Item()
    unmanaged.name = "another one, of more than fifteen bytes"
    measure("no Realm: get an Int", pieces: reads) { for _ in 0..<reads { total &+= unmanaged.count } }
    measure("no Realm: get a String", pieces: reads) {
      for _ in 0..<reads { total &+= unmanaged.name.utf8.count }
    }
    return total
  }

  private static let reads = 10_000_000

  private static func measureValues(at url: URL, _ place: String) throws -> Int {
    let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Item.self]))
    guard let item = realm.object(ofType: Item.self, forPrimaryKey: 0) else { return 0 }
    var total = 0
    measure("Realm of \(place): get an Int", atMost: 10, pieces: reads) {
      for _ in 0..<reads { total &+= item.count }
    }
    measure("Realm of \(place): get a String", atMost: 20, pieces: reads) {
      for _ in 0..<reads { total &+= item.name.utf8.count }
    }
    return total
  }

  /// Writes in transactions of their own, each of which the disk has when it returns.
  private static func measureWrites(at url: URL) throws {
    let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Item.self]))
    guard let item = realm.object(ofType: Item.self, forPrimaryKey: 0) else { return }
    try measure("Realm: set an Int in a write of its own", atMost: 200_000, pieces: 1000, runs: 3) {
      for _ in 0..<1000 { try realm.write { item.count &+= 1 } }
    }
  }

  /// Measures the time from a commit, which has to become durable, to the callback that is told of it, where a thousand results are
  /// observed: one of a hundred takes longer.
  private static func measureCallbacks(at url: URL) throws {
    let configuration = Realm.Configuration(fileURL: url, objectTypes: [Item.self])
    let observers = try Observers(configuration, count: 1000)
    let realm = try Realm(configuration: configuration)
    guard let item = realm.object(ofType: Item.self, forPrimaryKey: 0) else { return }
    var (times, commits): ([Double], [Double]) = ([], [])
    for number in 0..<1000 {
      realm.beginWrite()
      item.price = Double(number)
      let start = ContinuousClock.now
      try realm.commitWrite()
      commits.append((ContinuousClock.now - start).nanoseconds)
      times.append((observers.waitForChange() - start).nanoseconds)
    }
    observers.end()
    report("Realm: commit, 1000 results, 99th percentile", commits.sorted()[990])
    report("Realm: commit to callback, 1000 results, 99th perc.", times.sorted()[990], atMost: 1_000_000)
  }

  /// Opens a Realm that is there, and reads one object.
  private static func measureOpening(at url: URL) throws {
    var best = Duration.seconds(1_000_000)
    for _ in 0..<5 {
      let start = ContinuousClock.now
      let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Item.self]))
      precondition(realm.object(ofType: Item.self, forPrimaryKey: 0) != nil)
      best = min(best, ContinuousClock.now - start)
    }
    report("Realm: open, read an object", best.nanoseconds, atMost: 5_000_000)
  }
}

extension Duration {
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}
