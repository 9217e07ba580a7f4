import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of Realms, configurations, schemas and references (`RealmTests`, `RealmConfigurationTests`, `SchemaTests`,
/// `PropertyTests`, `ThreadSafeReferenceTests`).
struct RealmPortTests {
  @Test func `a write returns what its block does, and may commit or cancel itself`() throws {
    let realm = try PortedRealms.open()
    let five = try realm.write { 5 }
    #expect(five == 5)
    try realm.write {
      realm.create(StringObject.self)
      realm.cancelWrite()
    }
    #expect(realm.isEmpty)
    try realm.write {
      realm.create(StringObject.self)
      try realm.commitWrite()
      #expect(!realm.isInWriteTransaction)
    }
    #expect(!realm.isEmpty)
    try realm.write { realm.delete(realm.objects(StringObject.self)) }
    #expect(realm.isEmpty)
  }

  @Test func `objects are added from sequences, and deleted with collections`() throws {
    let realm = try PortedRealms.open()
    let list = List<StringObject>()
    list.append(objectsIn: ["a", "b"].map { StringObject(value: [$0]) })
    try realm.write {
      realm.add(list)
      realm.add([StringObject(value: ["c"]), StringObject(value: ["d"])])
      realm.add(Set([StringObject(value: ["e"])]))
    }
    #expect(realm.objects(StringObject.self).count == 5)
    let objects = Array(realm.objects(StringObject.self).filter("stringCol > 'c'"))
    try realm.write { realm.delete(objects) }
    #expect(objects.filter { !$0.isInvalidated }.isEmpty)
    try realm.write { realm.delete(realm.objects(StringObject.self).filter("stringCol == 'a'")) }
    #expect(realm.objects(StringObject.self).map(\.stringCol) == ["b", "c"])
    try realm.write {
      let owner = realm.create(
        AllTypes.self, value: ["arrayCol": [["intCol": 1]], "mapCol": ["a": ["intCol": 2]]])
      realm.delete(owner.arrayCol)
      #expect(owner.arrayCol.isEmpty)
      realm.delete(owner.mapCol)
      #expect(owner.mapCol["a"] == .some(nil))
      realm.deleteAll()
    }
    #expect(realm.isEmpty)
  }

  @Test func `primary keys of all types find objects, nil among them`() throws {
    class OptionalKey: Object {
      @Persisted(primaryKey: true) var key: Int?
      @Persisted var value: String

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class TextKey: Object {
      @Persisted(primaryKey: true) var key: String?

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class UUIDKey: Object {
      @Persisted(primaryKey: true) var key: UUID

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [OptionalKey.self, TextKey.self, UUIDKey.self]))
    let uuid = UUID()
    try realm.write {
      realm.create(OptionalKey.self, value: ["key": nil, "value": "none"] as [String: Any?])
      realm.create(OptionalKey.self, value: [1, "one"])
      realm.create(TextKey.self, value: ["a"])
      realm.create(TextKey.self, value: [NSNull()])
      realm.create(UUIDKey.self, value: [uuid])
      realm.create(OptionalKey.self, value: [NSNull(), "other"], update: .modified)
    }
    #expect(realm.object(ofType: OptionalKey.self, forPrimaryKey: nil as Int?)?.value == "other")
    #expect(realm.object(ofType: OptionalKey.self, forPrimaryKey: 1)?.value == "one")
    #expect(realm.object(ofType: OptionalKey.self, forPrimaryKey: Int?(1))?.value == "one")
    #expect(realm.object(ofType: TextKey.self, forPrimaryKey: "a") != nil)
    #expect(realm.object(ofType: TextKey.self, forPrimaryKey: NSNull()) != nil)
    #expect(realm.object(ofType: UUIDKey.self, forPrimaryKey: uuid)?.key == uuid)
    #expect(realm.dynamicObject(ofType: "OptionalKey", forPrimaryKey: 1)?["value"] as? String == "one")
    #expect(realm.objects(OptionalKey.self).count == 2)
  }

  @Test func `the schema describes classes and properties`() throws {
    let realm = try PortedRealms.open()
    let schema = try #require(realm.schema["AllTypes"])
    #expect(realm.schema["Nobody"] == nil)
    #expect(schema.className == "AllTypes")
    #expect(schema.objectClass is AllTypes.Type)
    #expect(schema.primaryKeyProperty?.name == "pk")
    #expect(schema["nobody"] == nil)
    let types: [String: PropertyType] = [
      "boolCol": .bool, "intCol": .int, "floatCol": .float, "doubleCol": .double, "stringCol": .string,
      "binaryCol": .data, "dateCol": .date, "decimalCol": .decimal128, "objectIdCol": .objectId,
      "objectCol": .object, "arrayCol": .object, "anyCol": .any, "uuidCol": .UUID, "intEnumCol": .int,
      "stringEnumCol": .string, "linkingObjects": .linkingObjects, "arrayDate": .date,
    ]
    for (name, type) in types { #expect(schema[name]?.type == type, "\(name)") }
    #expect(schema["pk"]?.isIndexed == true)
    #expect(schema["intCol"]?.isOptional == false && schema["optIntCol"]?.isOptional == true)
    #expect(schema["arrayOptInt"]?.isOptional == true && schema["arrayOptInt"]?.isArray == true)
    #expect(schema["setInt"]?.isSet == true && schema["mapInt"]?.isMap == true)
    #expect(schema["objectCol"]?.isOptional == true && schema["anyCol"]?.isOptional == true)
    #expect(schema["mapCol"]?.isOptional == true && schema["arrayCol"]?.isOptional == false)
    #expect(schema["objectCol"]?.objectClassName == "AllTypes")
    #expect(schema["intCol"] == schema["intCol"] && schema["intCol"] != schema["int8Col"])
  }

  @Test func `references lead to objects, collections and Realms, and to nothing where they are gone`() throws
  {
    let configuration = PortedRealms.configuration()
    let realm = try Realm(configuration: configuration)
    let object = AllTypes(value: [
      "arrayInt": [1, 2], "setInt": [3], "mapInt": ["a": 4], "objectCol": [:] as [String: Any],
    ])
    let doomed = StringObject()
    try realm.write {
      realm.add(object)
      realm.add(doomed)
    }
    let list = ThreadSafeReference(to: object.arrayInt)
    let set = ThreadSafeReference(to: object.setInt)
    let map = ThreadSafeReference(to: object.mapInt)
    let results = ThreadSafeReference(to: realm.objects(AllTypes.self).filter("objectCol != nil"))
    let linking = try ThreadSafeReference(to: #require(object.objectCol).linkingObjects)
    let gone = ThreadSafeReference(to: doomed)
    let frozen = ThreadSafeReference(to: object.freeze())
    try realm.write { realm.delete(doomed) }
    let told = Lines()
    Thread.detachNewThread {
      do {
        let realm = try Realm(configuration: configuration)
        told.add("\(realm.resolve(list).map { Array($0) } ?? [])")
        told.add("\(realm.resolve(set).map { Array($0) } ?? [])")
        told.add("\(realm.resolve(map)?["a"] ?? 0)")
        told.add("\(realm.resolve(results)?.count ?? -1)")
        told.add("\(realm.resolve(linking)?.count ?? -1)")
        told.add("\(realm.resolve(gone) == nil)")
        told.add("\(realm.resolve(frozen)?.arrayInt.count ?? -1)")
      } catch {
        told.add("\(error)")
      }
    }
    #expect((0..<7).map { _ in told.next() } == ["[1, 2]", "[3]", "4", "1", "1", "true", "2"])
    let own = ThreadSafeReference(to: object)
    #expect(!own.isInvalidated)
    #expect(realm.resolve(own)?.isSameObject(as: object) == true)
    #expect(own.isInvalidated)
  }

  @Test func `configurations say what they were given`() {
    var configuration = Realm.Configuration()
    #expect(configuration.fileURL?.lastPathComponent == "default.realm")
    #expect(configuration.schemaVersion == 0 && configuration.objectTypes == nil && !configuration.readOnly)
    configuration.inMemoryIdentifier = "memory"
    #expect(configuration.fileURL == nil)
    configuration.fileURL = URL(fileURLWithPath: "/tmp/some.realm")
    #expect(configuration.inMemoryIdentifier == nil)
    configuration.objectTypes = [StringObject.self]
    #expect(configuration.objectTypes is [StringObject.Type])
    configuration.deleteRealmIfMigrationNeeded = true
    #expect(configuration.description.hasPrefix("Realm.Configuration {\n\tfileURL = file:///tmp/some.realm;"))
    let before = Realm.Configuration.defaultConfiguration
    defer { Realm.Configuration.defaultConfiguration = before }
    configuration = before
    configuration.schemaVersion = 7
    Realm.Configuration.defaultConfiguration = configuration
    #expect(Realm.Configuration.defaultConfiguration.schemaVersion == 7)
  }

  @Test func `errors are caught by their kinds`() throws {
    let configuration = PortedRealms.configuration()
    let realm = try Realm(configuration: configuration)
    do {
      _ = try Realm.deleteFiles(for: configuration)
      Issue.record("deleted")
    } catch Realm.Error.alreadyOpen {
    }
    #expect(realm.isEmpty)
    var missing = Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/tmp/\(UUID().uuidString)"), objectTypes: [StringObject.self])
    missing.readOnly = true
    do {
      _ = try Realm(configuration: missing)
      Issue.record("opened")
    } catch let error as Realm.Error where error.code == .fileNotFound {
      #expect(error.fileURL?.path == missing.fileURL?.path)
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("text".utf8).write(to: file)
    #expect(throws: Realm.Error.self) {
      try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: [StringObject.self]))
    }
  }
}
