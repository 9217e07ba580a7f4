import Foundation
import GatehouseModel
import GatehouseStorage
import RealmSwift
import Testing

/// Documents: objects of schemaless classes of a store, which no class in Swift describes.
struct SchemalessTests {
  private class Log: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var level: String
    @Persisted var size: Int?
    @Persisted var other: Double

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// A store with a schemaless class, and a Realm of it.
  private struct World {
    let store: Store
    let realm: Realm

    init(_ types: [ObjectBase.Type] = Realms.types) throws {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
      store = try Store(directory: path)
      _ = try store.applyAndWait(
        GatehouseModel.Schema([.schemaless("Log", indexes: [.field("level")])]), destructive: false)
      realm = try Realm(store: store, configuration: Realm.Configuration(objectTypes: types))
    }

    var logs: Results<DynamicObject> { realm.dynamicObjects("Log") }

    /// Makes documents that are numbered from 1 on.
    func make(_ documents: [String: Any]...) throws {
      try realm.write {
        for (index, document) in documents.enumerated() {
          realm.dynamicCreate("Log", value: document.merging(["_id": index + 1]) { given, _ in given })
        }
      }
    }

    func ids(_ results: Results<DynamicObject>) -> [Int] { results.compactMap { $0["_id"] as? Int } }
  }

  @Test func `fields are read by name, with values of all types, and by dotted paths`() throws {
    let world = try World()
    let (id, uuid) = (ObjectId.generate(), UUID())
    try world.make([
      "level": "info", "count": 3, "ratio": 0.5, "done": true, "at": Date(timeIntervalSince1970: 9),
      "bytes": Data([1, 2]), "by": id, "uuid": uuid, "price": Decimal128("1.50"), "nothing": NSNull(),
      "user": ["name": "Ann", "roles": ["a", 2]] as [String: Any],
    ])
    let log = try #require(world.logs.first)
    #expect(log["_id"] as? Int == 1)
    #expect(log["level"] as? String == "info")
    #expect(log.level as? String == "info")
    #expect(log.value(forKey: "count") as? Int == 3)
    #expect(log["ratio"] as? Double == 0.5)
    #expect(log["done"] as? Bool == true)
    #expect(log["at"] as? Date == Date(timeIntervalSince1970: 9))
    #expect(log["bytes"] as? Data == Data([1, 2]))
    #expect(log["by"] as? ObjectId == id)
    #expect(log["uuid"] as? UUID == uuid)
    #expect(log["price"] as? Decimal128 == Decimal128("1.50"))
    #expect(log["nothing"] == nil)
    #expect(log["missing"] == nil)
    let user = try #require(log["user"] as? Map<String, AnyRealmValue>)
    #expect(user["name"] == .string("Ann"))
    #expect(user["roles"]?.listValue.map { Array($0) } == [.string("a"), .int(2)])
    #expect(log.value(forKeyPath: "user.name") as? String == "Ann")
    #expect(log.value(forKeyPath: "user.none") == nil)
    let fields = log.dynamicFields()
    #expect(
      fields.keys == [
        "at", "by", "bytes", "count", "done", "level", "nothing", "price", "ratio", "user", "uuid",
      ])
    #expect(fields["level"] == .string("info") && fields["nothing"] == AnyRealmValue.none)
    #expect(log.objectSchema.className == "Log" && log.objectSchema.properties.map(\.name) == ["_id"])
    #expect(log.description.contains("\tlevel = info;\n"))
    // The program has not declared it.
    #expect(world.realm.schema["Log"] == nil)
  }

  @Test
  func `fields are set, removed and changed in place in a transaction, and come back where it is cancelled`()
    throws
  {
    let world = try World()
    try world.make(["level": "info", "user": ["name": "Ann", "tags": ["x"]] as [String: Any], "old": 1])
    let log = try #require(world.logs.first)
    try world.realm.write {
      log["level"] = "warn"
      log.extra = [1, 2]
      log.setValue(4.5, forKey: "size")
      log["old"] = nil
      log["none"] = NSNull()
      log["any"] = AnyRealmValue.bool(true)
      let user = log["user"] as? Map<String, AnyRealmValue>
      user?["name"] = .string("Ben")
      user?["tags"]?.listValue?.append(.int(7))
      log.dynamicFields()["by"] = .string("map")
    }
    #expect(log["level"] as? String == "warn")
    #expect((log["extra"] as? List<AnyRealmValue>).map { Array($0) } == [.int(1), .int(2)])
    #expect(log["size"] as? Double == 4.5)
    #expect(log["by"] as? String == "map")
    #expect(log["any"] as? Bool == true)
    #expect(log.value(forKeyPath: "user.name") as? String == "Ben")
    #expect(log.dynamicFields().keys == ["any", "by", "extra", "level", "none", "size", "user"])
    let tags = (log["user"] as? Map<String, AnyRealmValue>)?["tags"]?.listValue
    #expect(tags.map { Array($0) } == [.string("x"), .int(7)])
    world.realm.beginWrite()
    log["level"] = "lost"
    log["size"] = nil
    #expect(log["level"] as? String == "lost" && log["size"] == nil)
    world.realm.cancelWrite()
    #expect(log["level"] as? String == "warn" && log["size"] as? Double == 4.5)
    try world.realm.write { world.logs.setValue("all", forKey: "level") }
    #expect(world.logs.value(forKey: "level") as? [String] == ["all"])
  }

  @Test func `documents are made, found by their identifiers, updated and deleted`() throws {
    let world = try World()
    let realm = world.realm
    let made = try realm.write { realm.dynamicCreate("Log", value: ["level": "a"]) }
    #expect(made["_id"] is ObjectId)
    try realm.write {
      realm.dynamicCreate("Log", value: ["_id": "x", "level": "b", "size": 1] as [String: Any])
      realm.dynamicCreate("Log", value: ["_id": ["k": 1], "level": "c"] as [String: Any])
      realm.dynamicCreate("Log", value: ["_id": "x", "level": "d"], update: .modified)
      realm.dynamicCreate("Log", value: ["alone"])
    }
    let x = try #require(realm.dynamicObject(ofType: "Log", forPrimaryKey: "x"))
    #expect(x["level"] as? String == "d" && x["size"] as? Int == 1)
    let id = try #require(made["_id"])
    #expect(realm.dynamicObject(ofType: "Log", forPrimaryKey: id)?.isSameObject(as: made) == true)
    #expect(realm.dynamicObject(ofType: "Log", forPrimaryKey: "y") == nil)
    #expect(realm.dynamicObject(ofType: "Log", forPrimaryKey: "alone")?.dynamicFields().count == 0)
    #expect(world.logs.count == 4)
    try realm.write {
      // A document, and an object of a class, are copied with all that they have.
      realm.dynamicCreate("Log", value: x, update: .all)
      let rex = realm.create(Dog.self, value: ["name": "Rex", "age": 3])
      let copy = realm.dynamicCreate("Log", value: ["dog": rex, "_id": 9] as [String: Any])
      #expect((copy["dog"] as? DynamicObject)?["age"] as? Int == 3)
      realm.delete(x)
    }
    #expect(x.isInvalidated && world.logs.count == 4)
    try realm.write { realm.delete(world.logs.filter("level == 'c'")) }
    #expect(world.logs.count == 3)
    // Nobody has declared the class: its documents are not among all objects.
    try realm.write { realm.deleteAll() }
    #expect(realm.isEmpty && world.logs.count == 3)
  }

  @Test func `numbers of all types that are equal are one identifier`() throws {
    let world = try World()
    try world.make(["level": "a"])
    #expect(world.realm.dynamicObject(ofType: "Log", forPrimaryKey: 1.0)?["level"] as? String == "a")
    try world.realm.write {
      world.realm.dynamicCreate("Log", value: ["_id": 1.0, "level": "b"] as [String: Any], update: .modified)
    }
    #expect(world.logs.count == 1 && world.logs.first?["level"] as? String == "b")
  }

  @Test func `documents are queried, sorted, told apart and aggregated by fields and dotted paths`() throws {
    let world = try World()
    try world.make(
      ["level": "info", "user": ["name": "Cid", "age": 3] as [String: Any], "tags": ["x", "y"]],
      ["level": "warn", "user": ["name": "Ann", "age": 1.5] as [String: Any]],
      ["level": "info", "user": ["name": "Ben"], "size": 7, "first-name": "odd"],
      ["size": "text"])
    let logs = world.logs
    #expect(world.ids(logs.filter("level == 'info'")) == [1, 3])
    #expect(world.ids(logs.filter("level == %@ AND user.age > %@", "warn", 1)) == [2])
    #expect(world.ids(logs.filter("%K == 'Ben'", "user.name")) == [3])
    #expect(world.ids(logs.filter("level == nil")) == [4])
    #expect(world.ids(logs.filter("size IN {7, 'text'}")) == [3, 4])
    #expect(world.ids(logs.filter("user.name BEGINSWITH 'A' OR tags[0] == 'x'")) == [1, 2])
    #expect(world.ids(logs.filter("ANY tags[*] == 'y'")) == [1])
    #expect(world.ids(logs.filter("nobody == 1")) == [])
    #expect(world.ids(logs.filter("_id > 2")) == [3, 4])
    #expect(world.ids(logs.sorted(byKeyPath: "user.name")) == [4, 2, 3, 1])
    #expect(world.ids(logs.sorted(byKeyPath: "user.age", ascending: false)).prefix(2) == [1, 2])
    #expect(world.ids(logs.sorted(byKeyPath: "first-name", ascending: false)).first == 3)
    #expect(world.ids(logs.sorted(byKeyPath: "_id", ascending: false)) == [4, 3, 2, 1])
    #expect(world.ids(logs.sorted(byKeyPath: "_id").distinct(by: ["level"])) == [1, 2, 4])
    #expect(logs.sum(ofProperty: "user.age") as Double == 4.5)
    #expect(logs.max(ofProperty: "user.age") as Double? == 3)
    #expect(logs.index(matching: "level == 'warn'") == 1)
    #expect(logs.filter("level == 'info'").filter("size > 1").count == 1)
  }

  @Test func `results of documents tell of changes, by fields where only these are wanted`() throws {
    let world = try World()
    try world.make(["level": "a", "user": ["name": "Ann"]], ["level": "b"])
    let queue = DispatchQueue(label: "documents")
    let (all, some) = (Lines(), Lines())
    func line(_ change: RealmCollectionChange<Results<DynamicObject>>) -> String {
      switch change {
      case .initial(let results): "initial \(results.count)"
      case .update(_, let deletions, let insertions, let modifications):
        "-\(deletions) +\(insertions) ~\(modifications)"
      case .error: "error"
      }
    }
    let results = world.logs.filter("level != 'z'").sorted(byKeyPath: "_id")
    let tokens = [
      results.observe(on: queue) { all.add(line($0)) },
      results.observe(keyPaths: ["user.name"], on: queue) { some.add(line($0)) },
    ]
    #expect(all.next() == "initial 2" && some.next() == "initial 2")
    let log = try #require(results.first)
    try world.realm.write { log["size"] = 1 }
    #expect(all.next() == "-[] +[] ~[0]")
    try world.realm.write { (log["user"] as? Map<String, AnyRealmValue>)?["name"] = .string("Ben") }
    #expect(all.next() == "-[] +[] ~[0]" && some.next() == "-[] +[] ~[0]")
    try world.realm.write { log["level"] = "z" }
    #expect(all.next() == "-[0] +[] ~[]" && some.next() == "-[0] +[] ~[]")
    for token in tokens { token.invalidate() }
  }

  @Test func `a document tells of the fields that have changed, with their values`() throws {
    let world = try World()
    try world.make(["level": "a", "gone": 1])
    let log = try #require(world.logs.first)
    let queue = DispatchQueue(label: "document")
    let (all, some, map) = (Lines(), Lines(), Lines())
    func line(_ change: RealmSwift.ObjectChange<DynamicObject>) -> String {
      guard case .change(_, let changes) = change else { return "deleted" }
      return changes.map { "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")" }.joined(
        separator: ", ")
    }
    let tokens = [
      log.observe(on: queue) { all.add(line($0)) },
      log.observe(keyPaths: ["level"], on: queue) { some.add(line($0)) },
      log.dynamicFields().observe(on: queue) { change in
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
          return map.add("initial")
        }
        map.add("-\(deletions) +\(insertions) ~\(modifications)")
      },
    ]
    #expect(map.next() == "initial")
    try world.realm.write {
      log["size"] = 1
      log["gone"] = nil
    }
    #expect(all.next() == "gone 1 nil, size nil 1")
    #expect(map.next() == #"-["gone"] +["size"] ~[]"#)
    try world.realm.write { log["level"] = "b" }
    #expect(all.next() == "level a b" && some.next() == "level a b")
    #expect(map.next() == #"-[] +[] ~["level"]"#)
    try world.realm.write { world.realm.delete(log) }
    #expect(all.next() == "deleted" && some.next() == "deleted")
    for token in tokens { token.invalidate() }
  }

  @Test func `documents are frozen, thawed and taken to other threads`() throws {
    let world = try World()
    try world.make(["level": "a", "user": ["name": "Ann"]])
    let log = try #require(world.logs.first)
    let frozen = log.freeze()
    let reference = ThreadSafeReference(to: log)
    let (results, fields) = (world.logs.freeze(), log.dynamicFields().freeze())
    try world.realm.write { log["level"] = "b" }
    #expect(frozen["level"] as? String == "a" && frozen.isFrozen)
    #expect(frozen.value(forKeyPath: "user.name") as? String == "Ann")
    #expect(results.first?["level"] as? String == "a" && fields["level"] == .string("a"))
    #expect(frozen.thaw()?["level"] as? String == "b")
    let told = Lines()
    let (store, configuration) = (world.store, world.realm.configuration)
    Thread.detachNewThread {
      let realm = try? Realm(store: store, configuration: configuration)
      told.add("\(realm?.resolve(reference)?["level"] ?? "none")")
      told.add("\(realm?.dynamicObjects("Log").count ?? -1)")
    }
    #expect([told.next(), told.next()] == ["b", "1"])
  }

  @Test func `a class that comes while the Realm is open is there with the next state`() throws {
    let world = try World()
    let schema = world.store.schema
    _ = try world.store.applyAndWait(
      GatehouseModel.Schema([.schemaless("Early")] + schema.objectTypes), destructive: false)
    try world.make(["level": "a"])
    try world.realm.write { world.realm.dynamicCreate("Early", value: ["a": 1]) }
    #expect(world.realm.dynamicObjects("Early").first?["a"] as? Int == 1)
    #expect(world.logs.first?["level"] as? String == "a")
    #expect(world.realm.freeze().dynamicObjects("Early").count == 1)
  }

  @Test func `a class in Swift of that name needs a migration, which takes the fields that fit`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let store = try Store(directory: path)
    _ = try store.applyAndWait(GatehouseModel.Schema([.schemaless("Log")]), destructive: false)
    try {
      let realm = try Realm(store: store, configuration: Realm.Configuration(objectTypes: []))
      try realm.write {
        realm.dynamicCreate("Log", value: ["_id": 1, "level": "a", "size": 5, "lost": 1] as [String: Any])
        realm.dynamicCreate("Log", value: ["_id": 2, "level": 7, "extra": "e"] as [String: Any])
      }
    }()
    var configuration = Realm.Configuration(objectTypes: [Log.self])
    let error = #expect(throws: Realm.Error.self) { try Realm(store: store, configuration: configuration) }
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.localizedDescription
        == "Migration is required due to the following errors:\n- Class 'Log' has been changed from Schemaless to TopLevel."
    )
    #expect(store.schema["Log"]?.isSchemaless == true)
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Log") { old, new in
        if let extra = old?["extra"] as? String { new?["level"] = "was \(extra)" }
      }
    }
    let realm = try Realm(store: store, configuration: configuration)
    let logs = realm.objects(Log.self).sorted(byKeyPath: "_id")
    #expect(logs.map(\._id) == [1, 2])
    #expect(logs.map(\.level) == ["a", "was e"])
    #expect(logs.map(\.size) == [5, nil])
  }
}
