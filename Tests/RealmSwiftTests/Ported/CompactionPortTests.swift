import Foundation
import RealmSwift
import Synchronization
import Testing

/// The questions of Realm's tests of compaction (`CompactionTests`).
struct CompactionPortTests {
  private static let count = 2000

  private final class Calls: Sendable {
    private let sizes = Mutex<[(total: Int, used: Int)]>([])

    var all: [(total: Int, used: Int)] { sizes.withLock { $0 } }

    /// A configuration's question, which is answered so.
    func answering(_ answer: Bool) -> @Sendable (Int, Int) -> Bool {
      { total, used in
        self.sizes.withLock { $0.append((total, used)) }
        return answer
      }
    }
  }

  /// Makes a Realm that has room to be compacted.
  private func makeRealm() throws -> Realm.Configuration {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let configuration = Realm.Configuration(fileURL: url, objectTypes: [StringObject.self])
    let realm = try Realm(configuration: configuration)
    let text = String(repeating: UUID().uuidString, count: 20)
    try realm.write {
      realm.create(StringObject.self, value: ["A"])
      for _ in 0..<Self.count { realm.create(StringObject.self, value: [text]) }
      for _ in 0..<Self.count { realm.create(StringObject.self, value: [text + "gone"]) }
      realm.create(StringObject.self, value: ["B"])
    }
    try realm.write { realm.delete(realm.objects(StringObject.self).filter("stringCol ENDSWITH 'gone'")) }
    return configuration
  }

  private func size(_ configuration: Realm.Configuration) throws -> Int {
    let path = try #require(configuration.fileURL).path
    return try ["", "-wal"].reduce(0) { sum, suffix in
      let file = "\(path)/gatehouse.db\(suffix)"
      guard FileManager.default.fileExists(atPath: file) else { return sum }
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      return sum + ((attributes[.size] as? NSNumber)?.intValue ?? 0)
    }
  }

  private func checkContent(_ realm: Realm) {
    let all = realm.objects(StringObject.self)
    #expect(all.count == Self.count + 2)
    #expect(all.first?.stringCol == "A" && all.last?.stringCol == "B")
  }

  @Test func `a Realm is smaller after it was compacted on launch`() throws {
    var configuration = try makeRealm()
    let (before, calls) = (try size(configuration), Calls())
    configuration.shouldCompactOnLaunch = calls.answering(true)
    checkContent(try Realm(configuration: configuration))
    #expect(try size(configuration) < before)
    let call = try #require(calls.all.first)
    #expect(call.used < call.total && call.used > 0 && calls.all.count == 1)
  }

  @Test func `a Realm that is not to be compacted is asked for, and stays as it is`() throws {
    var configuration = try makeRealm()
    let calls = Calls()
    configuration.shouldCompactOnLaunch = calls.answering(false)
    checkContent(try Realm(configuration: configuration))
    #expect(calls.all.count == 1 && calls.all[0].total > calls.all[0].used)
  }

  @Test func `a Realm that is open already is not asked for, on no thread`() throws {
    var configuration = try makeRealm()
    let realm = try Realm(configuration: configuration)
    let calls = Calls()
    configuration.shouldCompactOnLaunch = calls.answering(true)
    #expect(try Realm(configuration: configuration) == realm)
    let (told, other) = (Lines(), configuration)
    Thread.detachNewThread {
      told.add("\((try? Realm(configuration: other))?.objects(StringObject.self).count ?? -1)")
    }
    #expect(told.next() == "\(Self.count + 2)")
    #expect(calls.all.isEmpty)
    checkContent(realm)
  }

  @Test func `a Realm that is made is not asked for`() throws {
    let calls = Calls()
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let configuration = Realm.Configuration(
      fileURL: url, shouldCompactOnLaunch: calls.answering(true), objectTypes: [StringObject.self])
    #expect(try Realm(configuration: configuration).isEmpty)
    #expect(calls.all.isEmpty)
  }
}
