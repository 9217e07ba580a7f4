import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of links (`LinkTests`, `SwiftLinkTests`, `LinkingObjectsTests`).
struct LinkPortTests {
  class Owner: Object {
    @Persisted var name: String
    @Persisted var dog: Hound?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Hound: Object {
    @Persisted var dogName: String
    @Persisted var age: Int
    @Persisted(originProperty: "dog") var owners: LinkingObjects<Owner>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Circle: Object {
    @Persisted var data: String
    @Persisted var next: Circle?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Husband: Object {
    @Persisted var name: String
    @Persisted var wife: Wife?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Wife: Object {
    @Persisted var name: String
    @Persisted var husband: Husband?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class LinkedValues: Object {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var any: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class LinkToValues: Object {
    @Persisted var link: LinkedValues?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class People: Object {
    @Persisted var array: List<Owner>
    @Persisted var set: MutableSet<Owner>
    @Persisted var map: Map<String, Owner?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static func open() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [
          Owner.self, Hound.self, Circle.self, Husband.self, Wife.self, LinkedValues.self, LinkToValues.self,
          People.self,
        ]))
  }

  private func owner() -> Owner { Owner(value: ["Tim", ["Harvie", 12]] as [Any]) }

  @Test func `a basic link is added with its owner`() throws {
    let realm = try Self.open()
    let owner = owner()
    #expect(owner.dog?.dogName == "Harvie" && owner.dog?.realm == nil)
    try realm.write { realm.add(owner) }
    #expect(realm.objects(Owner.self).count == 1 && realm.objects(Hound.self).count == 1)
    let found = try #require(realm.objects(Owner.self).first)
    #expect(found.name == "Tim")
    #expect(found.dog?.dogName == "Harvie")
    #expect(found.dog?.isSameObject(as: owner.dog) == true)
  }

  @Test func `a basic link may be nil`() throws {
    let realm = try Self.open()
    try realm.write {
      realm.create(Owner.self, value: ["Tim", NSNull()] as [Any])
      realm.create(Owner.self, value: ["name": "Tam"])
    }
    #expect(realm.objects(Owner.self).count == 2 && realm.objects(Hound.self).isEmpty)
    #expect(realm.objects(Owner.self).map { $0.dog == nil } == [true, true])
    #expect(realm.objects(Owner.self).filter("dog == nil").count == 2)
    #expect(realm.objects(Owner.self).filter("dog.age > 1").count == 0)
  }

  @Test func `several owners share a link`() throws {
    let realm = try Self.open()
    let owner = owner()
    try realm.write { realm.add(owner) }
    try realm.write {
      let fiel = realm.create(Hound.self, value: ["dogName": "Fiel"])
      #expect(realm.objects(Hound.self).count == 2)
      fiel.dogName = "Fido"
      realm.create(Owner.self, value: ["name": "Jim", "dog": owner.dog ?? fiel] as [String: Any])
    }
    #expect(realm.objects(Owner.self).count == 2 && realm.objects(Hound.self).count == 2)
    let dogs: [Hound] = realm.objects(Owner.self).compactMap(\.dog)
    #expect(dogs.map(\.dogName) == ["Harvie", "Harvie"] && dogs[0] == dogs[1])
    #expect(owner.dog?.owners.map(\.name).sorted() == ["Jim", "Tim"])
    try realm.write { owner.dog?.dogName = "H" }
    #expect(realm.objects(Owner.self).map { $0.dog?.dogName } == ["H", "H"])
  }

  @Test func `a link to what is deleted is nil`() throws {
    let realm = try Self.open()
    let owner = owner()
    try realm.write { realm.add(owner) }
    let dog = try #require(owner.dog)
    try realm.write { realm.delete(dog) }
    #expect(owner.dog == nil && dog.isInvalidated)
    #expect(realm.objects(Owner.self).first?.dog == nil)
    // The object that is gone with its owner's link set to nil is still there.
    let other = self.owner()
    try realm.write { realm.add(other) }
    let kept = try #require(other.dog)
    try realm.write { other.dog = nil }
    #expect(other.dog == nil && !kept.isInvalidated && realm.objects(Hound.self).count == 1)
    try realm.write { realm.delete(other) }
    #expect(realm.objects(Hound.self).count == 1)
  }

  @Test func `an object that is in no Realm is added by being linked to`() throws {
    let realm = try Self.open()
    let owner = Owner(value: ["Tim"])
    let dog = Hound(value: ["Harvie", 3] as [Any])
    try realm.write {
      realm.add(owner)
      owner.dog = dog
      #expect(dog.realm == realm)
      owner["dog"] = Hound(value: ["Fido"])
    }
    #expect(owner.dog?.dogName == "Fido" && dog.owners.isEmpty)
    #expect(realm.objects(Hound.self).map(\.dogName) == ["Harvie", "Fido"])
  }

  @Test func `links lead in circles`() throws {
    let realm = try Self.open()
    let object = Circle(value: ["data": "a"])
    object.next = object
    try realm.write { realm.add(object) }
    #expect(object.next?.next?.data == "a")
    #expect(object.next == object && realm.objects(Circle.self).count == 1)
    try realm.write { object.next?.data = "b" }
    #expect(object.data == "b")
    let (adam, eve) = (Husband(value: ["Adam"]), Wife(value: ["Eve"]))
    (adam.wife, eve.husband) = (eve, adam)
    try realm.write { realm.add(adam) }
    #expect(realm.objects(Husband.self).first?.wife?.husband?.wife?.name == "Eve")
    #expect(realm.objects(Wife.self).first?.husband == adam)
    adam.realm?.beginWrite()
    adam.realm?.delete(eve)
    #expect(adam.wife == nil)
    try adam.realm?.commitWrite()
  }

  @Test func `circular links are queried`() throws {
    let realm = try Self.open()
    try realm.write {
      let circle = realm.create(Circle.self, value: ["data": "c"])
      var last = circle
      for name in ["b", "a"] {
        last = realm.create(Circle.self, value: ["data": name, "next": last] as [String: Any])
      }
      circle.next = last
    }
    let all = realm.objects(Circle.self)
    #expect(all.filter("data == 'a'").first?.next?.data == "b")
    #expect(all.filter("next.data == 'a'").map(\.data) == ["c"])
    #expect(all.filter("next.next.data == 'a'").map(\.data) == ["b"])
    #expect(all.filter("next.next.next.data == 'a'").map(\.data) == ["a"])
    #expect(all.where { $0.next.next.data == "c" }.map(\.data) == ["a"])
    let a = try #require(all.filter("data == 'a'").first)
    #expect(all.filter("next == %@", a).map(\.data) == ["c"])
    #expect(all.filter("next.next != %@", a).count == 2)
    #expect(all.sorted(byKeyPath: "next.next.data").map(\.data) == ["b", "c", "a"])
  }

  @Test func `queries go through links to texts and numbers`() throws {
    let realm = try Self.open()
    let owners = realm.objects(Owner.self)
    #expect(owners.filter("dog.dogName == 'Harvie'").isEmpty)
    try realm.write {
      realm.add(owner())
      realm.create(Owner.self, value: ["Joe", ["Fido", 5]] as [Any])
      realm.create(Owner.self, value: ["Jim"])
    }
    #expect(owners.filter("dog.dogName == 'Harvie'").map(\.name) == ["Tim"])
    #expect(owners.filter("dog.dogName != 'Harvie'").map(\.name) == ["Joe", "Jim"])
    #expect(owners.filter("dog.dogName == 'eivraH'").isEmpty)
    #expect(owners.filter("%K CONTAINS 'i'", "dog.dogName").map(\.name) == ["Tim", "Joe"])
    #expect(owners.filter("dog.age BETWEEN {5, 11}").map(\.name) == ["Joe"])
    #expect(owners.filter("dog.age IN {5, 12}").count == 2)
    #expect(owners.filter("dog = NULL").map(\.name) == ["Jim"])
    #expect(owners.filter("dog != NULL").map(\.name) == ["Tim", "Joe"])
    let harvie = realm.objects(Hound.self).filter("dogName == 'Harvie'")
    #expect(owners.filter("dog == %@", try #require(harvie.first)).map(\.name) == ["Tim"])
    #expect(owners.filter("dog IN %@", Array(realm.objects(Hound.self))).count == 2)
    #expect(realm.objects(Hound.self).filter("ANY owners.name == 'Joe'").map(\.dogName) == ["Fido"])
    #expect(realm.objects(Hound.self).filter("owners.@count == 1").count == 2)
  }

  @Test func `queries go through links to values of all types`() throws {
    let realm = try Self.open()
    let now = Date(timeIntervalSince1970: 100_000)
    let values =
      [
        "bool": true, "int": 1, "float": 1.1 as Float, "double": 1.11, "string": "string", "data": Data([1]),
        "date": now, "any": "mixed",
      ] as [String: Any]
    try realm.write { realm.create(LinkToValues.self, value: ["link": values]) }
    let links = realm.objects(LinkToValues.self)
    let cases: [(format: String, value: Any, found: Int)] = [
      ("link.bool = %@", true, 1), ("link.bool = %@", false, 0), ("link.int = %@", 1, 1),
      ("link.int != %@", 1, 0), ("link.int > %@", 0, 1), ("link.float = %@", 1.1 as Float, 1),
      ("link.float < %@", 1 as Float, 0), ("link.double = %@", 1.11, 1), ("link.double > %@", 1.11, 0),
      ("link.string = %@", "string", 1), ("link.string != %@", "string", 0),
      ("link.string BEGINSWITH %@", "str", 1), ("link.string ENDSWITH %@", "str", 0),
      ("link.string CONTAINS[c] %@", "TRI", 1), ("link.data = %@", Data([1]), 1),
      ("link.data = %@", Data([2]), 0), ("link.date = %@", now, 1),
      ("link.date < %@", now.addingTimeInterval(-1), 0), ("link.date >= %@", now, 1),
      ("link.any == %@", "mixed", 1), ("link.any == %@", 1, 0),
    ]
    for (format, value, found) in cases {
      #expect(links.filter(format, value).count == found, "\(format) \(value)")
    }
  }

  @Test func `queries ask for any of many links`() throws {
    let realm = try Self.open()
    try realm.write {
      let tim = owner()
      let joe = Owner(value: ["Joe", ["Fido", 3]] as [Any])
      realm.create(
        People.self,
        value: ["array": [tim, joe], "set": [tim], "map": ["a": joe, "b": NSNull()]] as [String: Any])
      realm.create(People.self, value: ["array": [joe]])
    }
    let people = realm.objects(People.self)
    #expect(people.filter("ANY array.name == 'Tim'").count == 1)
    #expect(people.filter("ANY array.dog.dogName == 'Fido'").count == 2)
    #expect(people.filter("NONE array.name == 'Tim'").count == 1)
    #expect(people.filter("ANY set.dog.age > 11").count == 1)
    #expect(people.filter("ANY map.@allValues.name == 'Joe'").count == 1)
    #expect(people.filter("map['a'].dog.dogName == 'Fido'").count == 1)
    #expect(people.filter("array.@count > 1").count == 1)
    #expect(people.filter("SUBQUERY(array, $p, $p.name == 'Joe' AND $p.dog.age == 3).@count == 1").count == 2)
    let joe = try #require(realm.objects(Owner.self).filter("name == 'Joe'").first)
    #expect(people.filter("%@ IN array", joe).count == 2)
    #expect(people.filter("ANY array == %@", joe).count == 2)
    #expect(people.where { $0.array.name == "Joe" && $0.set.dog.age == 12 }.count == 1)
    try realm.write { realm.delete(joe) }
    #expect(people.map(\.array.count) == [1, 0])
    #expect(people.first?.map.keys == ["a", "b"])
  }

  @Test func `what links to an object that is in no Realm is nothing, however it is asked`() throws {
    let owners = Hound().owners
    #expect(owners.count == 0 && owners.isEmpty && owners.first == nil && owners.last == nil)
    #expect(owners.realm == nil && !owners.isInvalidated && !owners.isFrozen)
    #expect(owners.filter("name == 'Tim'").isEmpty)
    #expect(owners.filter(RealmPredicate(format: "nobody == 1")).count == 0)
    #expect(owners.where { $0.name == "Tim" }.first == nil)
    #expect(owners.sorted(byKeyPath: "name").isEmpty)
    #expect(owners.sorted(byKeyPath: "name").filter("name == 'Tim'").sorted(byKeyPath: "dog.age").isEmpty)
    #expect(owners.distinct(by: ["name"]).isEmpty)
    #expect(owners.index(matching: "name == 'Tim'") == nil && owners.index(of: Owner()) == nil)
    #expect(owners.value(forKey: "name") as? [String] == [])
    #expect(AnyRealmCollection(owners).filter("name == 'Tim'").isEmpty)
    #expect(Hound().owners == owners)
    let results = owners.filter("name == 'Tim'")
    #expect(results.realm == nil && !results.isInvalidated && results == owners.filter("name == 'Jim'"))
    #expect(results.description.hasPrefix("Results<Owner> <0x"))
    #expect(results.index(matching: { $0.name == "Tim" }) == nil)
  }

  @Test func `what links to an object changes with the links`() throws {
    let realm = try Self.open()
    let dog = Hound(value: ["Harvie"])
    try realm.write { realm.add(dog) }
    let owners = dog.owners
    #expect(owners.isEmpty)
    try realm.write {
      let tim = realm.create(Owner.self, value: ["Tim", dog] as [Any])
      #expect(owners.map(\.name) == ["Tim"])
      realm.create(Owner.self, value: ["Jim", dog] as [Any])
      #expect(owners.sorted(byKeyPath: "name").map(\.name) == ["Jim", "Tim"])
      tim.dog = nil
      #expect(owners.map(\.name) == ["Jim"])
    }
    #expect(owners.filter("name == 'Jim'").count == 1)
    #expect(owners.filter("name == 'Tim'").count == 0)
    #expect(owners.freeze().map(\.name) == ["Jim"])
    try realm.write { realm.delete(owners) }
    #expect(owners.isEmpty)
    try realm.write { realm.delete(dog) }
    #expect(owners.isInvalidated)
  }
}
