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

private class Before: Object {
  @Persisted var second: String
  @Persisted var first: String

  override class func _realmObjectName() -> String? { "Namesake" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class After: Object {
  @Persisted var first: String
  @Persisted var second: String

  override class func _realmObjectName() -> String? { "Namesake" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PartBefore: EmbeddedObject {
  @Persisted var second: String
  @Persisted var first: String

  override class func _realmObjectName() -> String? { "NamesakePart" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class PartAfter: EmbeddedObject {
  @Persisted var first: String
  @Persisted var second: String

  override class func _realmObjectName() -> String? { "NamesakePart" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OwnerBefore: Object {
  @Persisted var other: Before?
  @Persisted var part: PartBefore?

  override class func _realmObjectName() -> String? { "NamesakeOwner" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Owner: Object {
  @Persisted var other: After?
  @Persisted var part: PartAfter?

  override class func _realmObjectName() -> String? { "NamesakeOwner" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Objects of a class in Swift among those of another one of the same name.
struct NamesakeTests {
  // Values went where the store has the property at the same place.
  @Test func `objects that a migration is given are written by the names of their properties`() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString,
      objectTypes: [Before.self, PartBefore.self, OwnerBefore.self])
    let before = try Realm(configuration: configuration)
    try before.write { before.create(OwnerBefore.self) }
    configuration.objectTypes = [After.self, PartAfter.self, Owner.self]
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "NamesakeOwner") { _, new in
        let other = After(value: ["first": "1", "second": "2"])
        new?["other"] = other
        #expect(other.first == "1" && other.second == "2")
        new?["part"] = PartAfter(value: ["first": "3", "second": "4"])
      }
    }
    let after = try Realm(configuration: configuration)
    let owner = try #require(after.objects(Owner.self).first)
    #expect(owner.other?.first == "1" && owner.other?.second == "2")
    #expect(owner.part?.first == "3" && owner.part?.second == "4")
  }
}
