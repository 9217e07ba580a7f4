import Foundation
import RealmSwift
import Synchronization
import Testing

private class V0: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var friend: V0?
  @Persisted var tags: List<String>

  override class func _realmObjectName() -> String? { "Migrated" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Gone: Object {
  @Persisted var value: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class V1: Object {
  @Persisted(primaryKey: true) var key: String
  @Persisted var fullName: String
  @Persisted var age: String?
  @Persisted var friend: V1?
  @Persisted var tags: List<String>

  override class func _realmObjectName() -> String? { "Migrated" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class V2: Object {
  @Persisted(primaryKey: true) var age: Int
  @Persisted var name: String

  override class func _realmObjectName() -> String? { "Migrated" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class V0Longer: Object {
  @Persisted var extra: String
  @Persisted var age: Int
  @Persisted var name: String
  @Persisted(primaryKey: true) var id: Int
  @Persisted var tags: List<String>
  @Persisted var friend: V0Longer?

  override class func _realmObjectName() -> String? { "Migrated" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Texts: Sendable {
  let all = Mutex<[String]>([])
  func add(_ text: String) { all.withLock { $0.append(text) } }
}

/// The questions of Realm's tests of migrations (`MigrationTests`).
struct MigrationPortTests {
  private func configuration() throws -> Realm.Configuration {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let configuration = Realm.Configuration(fileURL: path, objectTypes: [V0.self, Gone.self])
    let realm = try Realm(configuration: configuration)
    try realm.write {
      let ann = realm.create(V0.self, value: ["id": 1, "name": "Ann", "age": 30, "tags": ["a", "b"]])
      realm.create(V0.self, value: ["id": 2, "name": "Ben", "age": 30, "friend": ann])
      realm.create(Gone.self, value: [7])
    }
    return configuration
  }

  @Test func `objects are carried over, changed, made and deleted`() throws {
    var configuration = try configuration()
    let texts = Texts()
    configuration.schemaVersion = 1
    configuration.objectTypes = [V1.self]
    configuration.migrationBlock = { migration, version in
      texts.add("version \(version)")
      texts.add("old \(migration.oldSchema["Migrated"]?.primaryKeyProperty?.name ?? "none")")
      texts.add("new \(migration.newSchema["Migrated"]?.primaryKeyProperty?.name ?? "none")")
      migration.enumerateObjects(ofType: "Migrated") { old, new in
        guard let old, let new else { return texts.add("missing") }
        texts.add(
          "\(old["id"] ?? "nil") \(old["age"] ?? "nil") \((old["friend"] as? MigrationObject)?["name"] ?? "nil")"
        )
        new["key"] = "k\(old["id"] ?? "")"
        new["fullName"] = (old["name"] as? String).map { $0 + " Smith" }
        new["age"] = "\(old["age"] ?? "")"
      }
      migration.enumerateObjects(ofType: "Gone") { old, new in
        texts.add("gone \(old?["value"] ?? "nil") \(new == nil)")
      }
      let made = migration.create("Migrated", value: ["key": "k3", "fullName": "Cid"])
      made["friend"] = nil
      texts.add("deleted \(migration.deleteData(forType: "Gone")) \(migration.deleteData(forType: "Nobody"))")
    }
    let realm = try Realm(configuration: configuration)
    #expect(
      texts.all.withLock { $0 } == [
        "version 0", "old id", "new key", "1 30 nil", "2 30 Ann", "gone 7 true", "deleted true false",
      ])
    let all = realm.objects(V1.self).sorted(byKeyPath: "key")
    #expect(all.map(\.key) == ["k1", "k2", "k3"])
    #expect(all.map(\.fullName) == ["Ann Smith", "Ben Smith", "Cid"])
    #expect(all.map(\.age) == ["30", "30", nil])
    #expect(all[1].friend?.key == "k1")
    #expect(Array(all[0].tags) == ["a", "b"])
  }

  @Test func `a new primary key whose values are not unique is refused, and nothing has happened`() throws {
    var configuration = try configuration()
    configuration.schemaVersion = 1
    configuration.objectTypes = [V2.self]
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    #expect(
      error?.localizedDescription.contains(
        "Primary key property 'Migrated.age' has duplicate values after migration.") == true)
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Migrated") { old, new in
        if old?["name"] as? String == "Ben" { new?["age"] = 31 }
      }
    }
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(V2.self).sorted(byKeyPath: "age").map(\.name) == ["Ann", "Ben"])
    #expect(realm.object(ofType: V2.self, forPrimaryKey: 31)?.name == "Ben")
  }

  @Test func `a Realm that was open before goes on with the properties that stay`() throws {
    var configuration = try configuration()
    let old = try Realm(configuration: configuration)
    let ann = try #require(old.object(ofType: V0.self, forPrimaryKey: 1))
    #expect(ann.name == "Ann")
    configuration.schemaVersion = 1
    configuration.objectTypes = [V0Longer.self]
    let new = try Realm(configuration: configuration)
    try new.write { new.object(ofType: V0Longer.self, forPrimaryKey: 1)?.age = 31 }
    old.refresh()
    #expect(ann.name == "Ann" && ann.age == 31 && Array(ann.tags) == ["a", "b"])
    #expect(old.object(ofType: V0.self, forPrimaryKey: 2)?.friend?.name == "Ann")
    try old.write { ann.name = "Anna" }
    new.refresh()
    #expect(new.object(ofType: V0Longer.self, forPrimaryKey: 1)?.name == "Anna")
    #expect(old.objects(V0.self).filter("age == 31").map(\.name) == ["Anna"])
  }

  @Test func `a version without changes runs the block, and a lower one is refused`() throws {
    var configuration = try configuration()
    configuration.schemaVersion = 5
    let texts = Texts()
    configuration.migrationBlock = { migration, version in
      texts.add("\(version)")
      migration.enumerateObjects(ofType: "Migrated") { old, new in
        guard let old, let new else { return }
        if old["name"] as? String == "Ann" { migration.delete(new) } else { new["age"] = 1 }
      }
    }
    try Realm.performMigration(for: configuration)
    #expect(texts.all.withLock { $0 } == ["0"])
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(V0.self).map(\.age) == [1])
    #expect(realm.objects(V0.self).first?.friend == nil)
    #expect(texts.all.withLock { $0 } == ["0"])
    #expect(try schemaVersionAtURL(try #require(configuration.fileURL)) == 5)
  }
}
