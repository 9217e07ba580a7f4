import Foundation
import RealmSwift
import Testing

/// Names that classes and properties have in the store.
struct NameTests {
  class Underscored: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var _partition: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    @Persisted var __deep: Int?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Dotted: Object {
    @Persisted var name: String

    override class func propertiesMapping() -> [String: String] { ["name": "a.name"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Taken: Object {
    @Persisted var _key: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Long: Object {
    @Persisted var a23456789b123456789c123456789d123456789e123456789f123456789g123: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Twice: Object {
    @Persisted var first: Int
    @Persisted var second: Int

    override class func propertiesMapping() -> [String: String] { ["first": "second"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Old: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var numbers: List<Int>
    @Persisted var next: Old?
    @Persisted(originProperty: "next") var before: LinkingObjects<Old>

    override class func propertiesMapping() -> [String: String] {
      ["id": "the id", "name": "the name", "numbers": "many"]
    }
    override class func _realmObjectName() -> String? { "Two names" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class New: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted(indexed: true) var title: String
    @Persisted var values: List<Int>
    @Persisted var follower: New?
    @Persisted(originProperty: "follower") var before: LinkingObjects<New>

    override class func propertiesMapping() -> [String: String] {
      ["key": "the id", "title": "the name", "values": "many", "follower": "next"]
    }
    override class func _realmObjectName() -> String? { "Two names" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static func configuration(_ types: ObjectBase.Type...) -> Realm.Configuration {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    return Realm.Configuration(fileURL: path, objectTypes: types)
  }

  @Test func `names may begin with underscores`() throws {
    let configuration = Self.configuration(Underscored.self)
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Underscored.self, value: [1, "mine", 2] as [Any]) }
    }()
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(Underscored.self).where { $0._partition == "mine" && $0.__deep == 2 }.count == 1)
    #expect(realm.objects(Underscored.self).filter("_partition == 'mine'").first?._id == 1)
  }

  @Test(
    arguments: [
      (
        Dotted.self,
        "Property 'Dotted.name' is mapped to a name that is of characters that names cannot have."
      ),
      (Taken.self, "Property 'Taken._key' has a name that is reserved."),
      (Twice.self, "Property 'Twice.second' is mapped to 'second' as another one is."),
    ] as [(Object.Type, String)])
  func `a name that the store could not read again is refused`(type: Object.Type, text: String) throws {
    let configuration = Self.configuration(type)
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    #expect(error?.localizedDescription == "Schema validation failed due to the following errors:\n- \(text)")
    // Nothing has happened to the file.
    var other = configuration
    other.objectTypes = [Underscored.self, Long.self]
    #expect(try Realm(configuration: other).isEmpty)
  }

  @Test func `the same properties have other names in another class`() throws {
    var configuration = Self.configuration(Old.self)
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        realm.create(Old.self, value: ["id": 1, "name": "a", "numbers": [5], "next": ["id": 2]])
      }
    }()
    configuration.objectTypes = [New.self]
    let realm = try Realm(configuration: configuration)
    let found = try #require(realm.objects(New.self).filter("title == 'a'").first)
    #expect(found.key == 1 && Array(found.values) == [5] && found.follower?.key == 2)
    #expect(found.follower?.before.map(\.key) == [1])
  }
}
