import Foundation
import RealmSwift
import Testing

private class Plain: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title: String
  @Persisted var marks: List<Int>

  override class func propertiesMapping() -> [String: String] { ["title": "t", "marks": "m"] }
  override class func _realmObjectName() -> String? { "Page" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Longer: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var heading: String
  @Persisted var total: Int

  override class func _realmObjectName() -> String? { "Page" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct StoredNameTests {
  @Test func `old objects of migrations have their properties by both names`() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Plain.self])
    let before = try Realm(configuration: configuration)
    try before.write { before.create(Plain.self, value: [1, "a", [2, 3]]) }
    configuration.objectTypes = [Longer.self]
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Page") { old, new in
        #expect(old?["title"] as? String == "a" && old?.t as? String == "a")
        new?["heading"] = old?["t"]
        new?["total"] = (old?["m"] as? List<AnyRealmValue>)?.compactMap(\.intValue).reduce(0, +)
      }
    }
    let after = try Realm(configuration: configuration)
    let page = try #require(after.object(ofType: Longer.self, forPrimaryKey: 1))
    #expect(page.heading == "a" && page.total == 5)
  }
}
