import Foundation
import RealmSwift
import Testing

/// Types of one's own as properties, objects as JSON, properties without `@Persisted`, names in the store.
struct TypeTests {
  private struct Celsius: CustomPersistable, Equatable {
    typealias PersistedType = Double
    var degrees: Double

    init(degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
  }

  private struct Address: FailableCustomPersistable, Equatable {
    typealias PersistedType = String
    var url: URL

    init?(persistedValue: String) {
      guard let url = URL(string: persistedValue), !persistedValue.isEmpty else { return nil }
      self.url = url
    }

    init(url: URL) { self.url = url }
    var persistableValue: String { url.absoluteString }
  }

  private struct Point: CustomPersistable, Equatable {
    final class Stored: EmbeddedObject {
      @Persisted var x: Double
      @Persisted var y: Double

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    typealias PersistedType = Stored
    var x: Double
    var y: Double

    init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    init(persistedValue: Stored) { (x, y) = (persistedValue.x, persistedValue.y) }
    var persistableValue: Stored { Stored(value: [x, y]) }

    static func == (lhs: Point, rhs: Point) -> Bool { lhs.x == rhs.x && lhs.y == rhs.y }
  }

  private class Place: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var temperature: Celsius
    @Persisted var page: Address?
    @Persisted var point: Point
    @Persisted var history: List<Celsius>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `types of one's own are stored, found and read as what they are stored as`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Place.self, Point.Stored.self]))
    let place = Place()
    place.name = "Rome"
    place.temperature = Celsius(degrees: 21.5)
    place.page = Address(url: try #require(URL(string: "http://example.org")))
    place.point = Point(x: 1, y: 2)
    place.history.append(objectsIn: [Celsius(degrees: 3), Celsius(degrees: 1)])
    try realm.write {
      realm.add(place)
      realm.create(Place.self, value: ["name": "Oslo"])
    }
    #expect(place.temperature.degrees == 21.5)
    #expect(place.point == Point(x: 1, y: 2))
    #expect(place.page?.url.host == "example.org")
    #expect(place.history.map(\.degrees) == [3, 1])
    let warm = realm.objects(Place.self).where { $0.temperature > Celsius(degrees: 20) }
    #expect(warm.map(\.name) == ["Rome"])
    #expect(realm.objects(Place.self).where { $0.point == Point(x: 1, y: 2) }.map(\.name) == ["Rome"])
    #expect(
      realm.objects(Place.self).sorted(byKeyPath: "temperature").map(\.temperature.degrees) == [0, 21.5])
    let oslo = try #require(realm.object(ofType: Place.self, forPrimaryKey: "Oslo"))
    #expect(oslo.page == nil)
    try realm.write { oslo["page"] = "http://example.com" }
    #expect(oslo.page?.url.host == "example.com")
    try realm.write {
      oslo.point = Point(x: 5, y: 6)
      oslo.temperature.degrees = -3
    }
    #expect(oslo.point.y == 6)
    #expect(oslo.temperature == Celsius(degrees: -3))
  }

  private class Note: Object, Codable {
    @Persisted var text: String
    @Persisted var stars: Int?
    @Persisted var tags: List<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var extra: MutableSet<Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `objects are read from JSON and written to it`() throws {
    let json = #"{"text":"a","tags":["x","y"],"scores":{"k":1},"extra":[3]}"#
    let note = try JSONDecoder().decode(Note.self, from: Data(json.utf8))
    #expect(note.text == "a")
    #expect(note.stars == nil)
    #expect(Array(note.tags) == ["x", "y"])
    #expect(note.scores["k"] == 1)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    note.stars = 4
    let text = String(decoding: try encoder.encode(note), as: UTF8.self)
    #expect(text == #"{"extra":[3],"scores":{"k":1},"stars":4,"tags":["x","y"],"text":"a"}"#)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Note.self, from: Data("{}".utf8)) }
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Note.self]))
    try realm.write { realm.add(note) }
    #expect(String(decoding: try encoder.encode(note.tags), as: UTF8.self) == #"["x","y"]"#)
  }

  private class Plain: Object {
    let age = RealmProperty<Int?>()
    let anything = RealmProperty<AnyRealmValue>()
    let names = List<String>()
    let others = List<Plain>()
    let linking = LinkingObjects(fromType: Plain.self, property: "others")

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `collections and optional numbers are properties without being marked`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Plain.self]))
    let schema = try #require(realm.schema["Plain"])
    #expect(schema.properties.map(\.name) == ["age", "anything", "names", "others"])
    #expect(schema["linking"]?.type == .linkingObjects)
    let plain = Plain()
    plain.age.value = 4
    plain.names.append("a")
    try realm.write { realm.add(plain) }
    try realm.write {
      plain.others.append(plain)
      plain.anything.value = .string("x")
    }
    let found = try #require(realm.objects(Plain.self).filter("age == 4").first)
    #expect(found.age.value == 4)
    #expect(found.anything.value == .string("x"))
    #expect(Array(found.names) == ["a"])
    #expect(found.linking.count == 1)
    try realm.write { found.age.value = nil }
    #expect(plain.age.value == nil)
    #expect(realm.objects(Plain.self).filter("age == nil").count == 1)
  }

  private class Mapped: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var fullName: String

    override class func propertiesMapping() -> [String: String] { ["fullName": "full_name"] }
    override class func _realmObjectName() -> String? { "Client" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private class Renamed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String

    override class func _realmObjectName() -> String? { "Client" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `a renamed property keeps its values, in the same commit as the new classes`() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Mapped.self])
    let old = try Realm(configuration: configuration)
    #expect(old.schema["Client"]?["fullName"]?.columnName == "full_name")
    try old.write { old.create(Mapped.self, value: [1, "Ann"]) }
    configuration.objectTypes = [Renamed.self]
    configuration.schemaVersion = 3
    configuration.migrationBlock = { migration, version in
      #expect(version == 0)
      #expect(migration.oldSchema["Client"]?["fullName"] != nil)
      #expect(migration.newSchema["Client"]?["title"] != nil)
      migration.renameProperty(onType: "Client", from: "fullName", to: "title")
      migration.create("Client", value: ["id": 2, "title": "Ben"])
    }
    let new = try Realm(configuration: configuration)
    #expect(new.objects(Renamed.self).sorted(byKeyPath: "id").map(\.title) == ["Ann", "Ben"])
  }
}
