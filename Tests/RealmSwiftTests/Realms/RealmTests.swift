import Foundation
import RealmSwift
import Testing

struct RealmTests {
  @Test func `objects that are added are found, and change in transactions`() throws {
    let realm = try Realms.open()
    #expect(realm.isEmpty)
    let rex = Dog()
    rex.name = "Rex"
    rex.age = 3
    try realm.write { realm.add(rex) }
    #expect(!realm.isEmpty)
    #expect(rex.realm == realm)
    #expect(realm.objects(Dog.self).count == 1)
    try realm.write { rex.age = 4 }
    let found = try #require(realm.object(ofType: Dog.self, forPrimaryKey: "Rex"))
    #expect(found.age == 4)
    #expect(found == rex)
    #expect(found !== rex)
    #expect(found.isSameObject(as: rex))
    #expect(realm.object(ofType: Dog.self, forPrimaryKey: "Max") == nil)
  }

  @Test func `a property of each type keeps its value`() throws {
    let configuration = Realms.configuration()
    let (date, uuid) = (Date(timeIntervalSince1970: 1_700_000_000.25), UUID())
    let id = ObjectId.generate()
    let keeper = try Realm(configuration: configuration)
    try keeper.write {
      let all = Everything()
      all.id = 7
      all.bool = true
      all.int8 = -8
      all.float = 0.1
      all.double = -1.5
      all.string = "Zoë 🐕"
      all.data = Data([0, 255])
      all.date = date
      all.uuid = uuid
      all.objectId = id
      all.decimal = Decimal128(floatLiteral: 1.25)
      all.optional = 5
      all.ints.append(objectsIn: [3, 1, 2])
      all.optionals.append(objectsIn: ["a", nil])
      all.mixed.append(objectsIn: [.int(1), .string("x"), AnyRealmValue.none])
      all.dates.insert(date)
      keeper.add(all)
    }
    let all = try #require(keeper.object(ofType: Everything.self, forPrimaryKey: 7))
    #expect(all.bool)
    #expect(all.int8 == -8)
    #expect(all.float == 0.1)
    #expect(all.double == -1.5)
    #expect(all.string == "Zoë 🐕")
    #expect(all.data == Data([0, 255]))
    #expect(all.date == date)
    #expect(all.uuid == uuid)
    #expect(all.objectId == id)
    #expect(all.decimal == Decimal128(floatLiteral: 1.25))
    #expect(all.optional == 5)
    #expect(Array(all.ints) == [3, 1, 2])
    #expect(Array(all.optionals) == ["a", nil])
    #expect(Array(all.mixed) == [.int(1), .string("x"), AnyRealmValue.none])
    #expect(Array(all.dates) == [date])
  }

  @Test func `an error in a transaction takes everything back`() throws {
    struct Failure: Error {}
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex"])
    #expect(throws: Failure.self) {
      try realm.write {
        realm.add(rex)
        throw Failure()
      }
    }
    #expect(realm.objects(Dog.self).isEmpty)
    #expect(rex.isInvalidated)
    #expect(!realm.isInWriteTransaction)
  }

  @Test func `links are added with the object, in a circle, too`() throws {
    let realm = try Realms.open()
    let (rex, max) = (Dog(value: ["name": "Rex"]), Dog(value: ["name": "Max"]))
    let ann = Person(value: ["name": "Ann"])
    rex.owner = ann
    rex.friends.append(max)
    max.friends.append(rex)
    ann.favourites["best"] = rex
    try realm.write { realm.add(rex) }
    #expect(realm.objects(Dog.self).count == 2)
    #expect(rex.owner?.name == "Ann")
    #expect(rex.friends.first?.friends.first == rex)
    #expect(ann.favourites["best"] == rex)
    #expect(Array(ann.dogs.map(\.name)) == ["Rex"])
    try realm.write { realm.delete(rex) }
    #expect(rex.isInvalidated)
    #expect(max.friends.isEmpty)
    #expect(ann.dogs.isEmpty)
    #expect(ann.favourites.keys == ["best"])
    #expect(ann.favourites["best"] == .some(nil))
  }

  @Test func `embedded objects are parts of their owners`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "toys": [["brand": "A"], ["brand": "B"]]])
    let collar = Collar(value: ["size": 3])
    rex.collar = collar
    let ball = rex.toys[1]
    try realm.write { realm.add(rex) }
    #expect(collar.realm == realm)
    #expect(ball.brand == "B")
    try realm.write {
      collar.size = 4
      ball.brand = "C"
    }
    #expect(rex.collar?.size == 4)
    #expect(rex.toys.map(\.brand) == ["A", "C"])
    let other = Toy(value: ["brand": "D"])
    try realm.write {
      rex.collar = nil
      rex.toys.insert(other, at: 0)
    }
    #expect(collar.isInvalidated)
    try realm.write { other.brand = "E" }
    #expect(rex.toys.map(\.brand) == ["E", "A", "C"])
    try realm.write { realm.delete(other) }
    #expect(rex.toys.map(\.brand) == ["A", "C"])
  }

  @Test func `create takes dictionaries, arrays and objects, and updates by primary key`() throws {
    let realm = try Realms.open()
    try realm.write {
      let rex = realm.create(Dog.self, value: ["name": "Rex", "age": 2, "owner": ["name": "Ann"]])
      #expect(rex.owner?.name == "Ann")
      #expect(rex.mood == .calm)
      realm.create(Dog.self, value: ["name": "Rex", "mood": "wild"], update: .modified)
      #expect(rex.age == 2)
      #expect(rex.mood == .wild)
      realm.create(Dog.self, value: ["Max", 5])
      let copy = realm.create(Dog.self, value: Dog(value: ["name": "Rex", "age": 9]), update: .all)
      #expect(copy == rex)
      #expect(rex.age == 9)
      #expect(rex.mood == .calm)
    }
    #expect(realm.objects(Dog.self).map(\.name).sorted() == ["Max", "Rex"])
    #expect(realm.objects(Person.self).count == 1)
  }

  @Test func `results are live, filtered, sorted and distinct`() throws {
    let realm = try Realms.open()
    let old = realm.objects(Dog.self).filter("age >= %@", 3)
    #expect(old.isEmpty)
    try realm.write {
      for (name, age) in [("Rex", 3), ("Max", 5), ("Ben", 1), ("Tim", 3)] {
        realm.create(Dog.self, value: ["name": name, "age": age])
      }
      #expect(old.count == 3)
    }
    #expect(old.sorted(byKeyPath: "name").map(\.name) == ["Max", "Rex", "Tim"])
    let byAge = realm.objects(Dog.self).sorted(by: \.age, ascending: false)
    #expect(byAge.map(\.name).first == "Max")
    #expect(
      realm.objects(Dog.self).sorted(by: [SortDescriptor(keyPath: "age"), "name"]).map(\.name)
        == ["Ben", "Rex", "Tim", "Max"])
    #expect(realm.objects(Dog.self).sorted(byKeyPath: "name").distinct(by: ["age"]).count == 3)
    #expect(realm.objects(Dog.self).filter("name == 'Rex'").first?.age == 3)
    #expect(realm.objects(Dog.self).sum(of: \.age) == 12)
    #expect(realm.objects(Dog.self).max(of: \.age) == 5)
    #expect(realm.objects(Dog.self).average(ofProperty: "age") == 3.0)
    #expect(realm.objects(Dog.self).sorted(byKeyPath: "name").index(matching: "age == 1") == 0)
    // A loop goes over the objects that there were.
    try realm.write { for dog in old { dog.age = 0 } }
    #expect(old.isEmpty)
  }

  @Test func `objects are found by the number of links that lead to them`() throws {
    let realm = try Realms.open()
    try realm.write {
      let (rex, max) = (Dog(value: ["name": "Rex"]), Dog(value: ["name": "Max"]))
      let ann = Person(value: ["name": "Ann"])
      rex.owner = ann
      rex.friends.append(objectsIn: [max, max])
      max.extra = .object(rex)
      realm.add(rex)
    }
    #expect(realm.objects(Dog.self).filter("@links.@count == 2").map(\.name) == ["Max"])
    #expect(realm.objects(Dog.self).filter("@links.@count == 1").map(\.name) == ["Rex"])
    #expect(realm.objects(Person.self).filter("@links.@count == 1").count == 1)
    #expect(realm.objects(Dog.self).filter("owner.@links.@count > 0").map(\.name) == ["Rex"])
  }

  @Test func `lists, sets and maps change in place`() throws {
    let realm = try Realms.open()
    let all = Everything()
    let rex = Dog(value: ["name": "Rex", "tags": ["b", "a"], "scores": ["x": 1]])
    try realm.write {
      realm.add(all)
      realm.add(rex)
      all.ints.append(objectsIn: 0..<5)
      all.ints.move(from: 0, to: 4)
      all.ints.swapAt(0, 2)
      all.ints.remove(at: 1)
      all.ints[0] = 9
      all.ints.insert(7, at: 1)
    }
    #expect(Array(all.ints) == [9, 7, 1, 4, 0])
    #expect(all.ints.sorted().map { $0 } == [0, 1, 4, 7, 9])
    #expect(all.ints.max() == 9)
    #expect(all.ints.index(of: 4) == 3)
    try realm.write {
      rex.tags.insert("c")
      rex.tags.remove("a")
      rex.scores["y"] = 2
      rex.scores["x"] = nil
      rex.scores.merge(["y": 3, "z": 4].map { (key: $0.key, value: $0.value) }) { $0 + $1 }
    }
    #expect(Array(rex.tags) == ["b", "c"])
    #expect(rex.tags.contains("c"))
    #expect(rex.scores.keys == ["y", "z"])
    #expect(rex.scores.values == [5, 4])
    try realm.write {
      all.ints = List()
      rex.scores.removeAll()
    }
    #expect(all.ints.isEmpty)
    #expect(rex.scores.count == 0)
  }

  @Test func `objects show their properties by name`() throws {
    let realm = try Realms.open()
    try realm.write { realm.create(Dog.self, value: ["name": "Rex", "age": 2, "owner": ["name": "Ann"]]) }
    let rex = try #require(realm.dynamicObject(ofType: "Dog", forPrimaryKey: "Rex"))
    #expect(rex["age"] as? Int == 2)
    #expect(rex.name as? String == "Rex")
    #expect((rex["owner"] as? DynamicObject)?["name"] as? String == "Ann")
    try realm.write { rex["age"] = 3 }
    let typed = try #require(realm.objects(Dog.self).first)
    #expect(typed["age"] as? Int == 3)
    #expect(typed.value(forKeyPath: "owner.name") as? String == "Ann")
    #expect(realm.objects(Dog.self).value(forKey: "age") as? [Int] == [3])
    #expect(realm.objects(Dog.self).value(forKeyPath: "@sum.age") as? Int == 3)
    try realm.write { realm.objects(Dog.self).setValue(8, forKey: "age") }
    #expect(typed.age == 8)
  }

  @Test func `frozen objects stay, live ones go on`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "age": 1])
    try realm.write { realm.add(rex) }
    let frozen = rex.freeze()
    let results = realm.objects(Dog.self).freeze()
    try realm.write {
      rex.age = 2
      realm.create(Dog.self, value: ["name": "Max"])
    }
    #expect(frozen.isFrozen && frozen.age == 1)
    #expect(results.count == 1)
    #expect(frozen.thaw()?.age == 2)
    #expect(results.thaw()?.count == 2)
    #expect(frozen.freeze() === frozen)
    try realm.write { realm.delete(rex) }
    #expect(frozen.thaw() == nil)
    #expect(frozen.name == "Rex")
  }

  @Test func `references are resolved on other threads, once`() async throws {
    let configuration = Realms.configuration()
    let realm = try Realm(configuration: configuration, queue: nil)
    let rex = Dog(value: ["name": "Rex", "age": 1])
    try realm.write { realm.add(rex) }
    let reference = ThreadSafeReference(to: rex)
    let list = ThreadSafeReference(to: realm.objects(Dog.self).filter("age == 1"))
    let names = try await withCheckedThrowingContinuation {
      (done: CheckedContinuation<[String], any Error>) in
      Thread.detachNewThread {
        done.resume(
          with: Result {
            let other = try Realm(configuration: configuration)
            return [other.resolve(reference)?.name ?? ""] + (other.resolve(list).map { $0.map(\.name) } ?? [])
          })
      }
    }
    #expect(names == ["Rex", "Rex"])
    #expect(reference.isInvalidated)
  }

  @Test func `a Realm in a directory is there when it is opened again`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    var configuration = Realm.Configuration(fileURL: path, objectTypes: Realms.types)
    #expect(!Realm.fileExists(for: configuration))
    try {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
      #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
    }()
    configuration.schemaVersion = 1
    try {
      let realm = try Realm(configuration: configuration)
      #expect(realm.objects(Dog.self).map(\.name) == ["Rex"])
    }()
    configuration.schemaVersion = 0
    #expect(throws: Realm.Error.fail("Provided schema version 0 is less than last set version 1.")) {
      try Realm(configuration: configuration)
    }
    #expect(try Realm.deleteFiles(for: configuration))
    #expect(!Realm.fileExists(for: configuration))
  }

  @Test func `the schema is found without being told`() throws {
    let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let schema = try #require(realm.schema["Dog"])
    #expect(schema.primaryKeyProperty?.name == "name")
    #expect(schema["age"]?.isIndexed == true)
    #expect(schema["friends"]?.isArray == true)
    #expect(schema["friends"]?.objectClassName == "Dog")
    #expect(realm.schema["Collar"]?.isEmbedded == true)
  }
}

extension Realm.Error {
  /// An error to compare with.
  fileprivate static func fail(_ text: String) -> Realm.Error { Realm.Error(code: .fail, text) }
}
