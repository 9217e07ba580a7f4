import Foundation
import RealmSwift
import Testing

/// Objects of a Realm, asked for by closures and by formats.
@Suite struct WhereTests {
  private let realm: Realm

  init() throws {
    realm = try Realms.open()
    try realm.write {
      let ann = Person(value: ["name": "Ann"])
      let rex = Dog(value: ["name": "Rex", "age": 3, "weight": 8.5, "mood": Mood.wild, "owner": ann])
      let bello = Dog(value: ["name": "Béllo", "age": 5, "born": Date(timeIntervalSince1970: 50)])
      let ida = Dog(value: ["name": "ida", "age": 1, "owner": ann])
      rex.friends.append(bello)
      rex.friends.append(ida)
      bello.friends.append(ida)
      rex.tags.insert("big")
      ida.tags.insert(objectsIn: ["small", "big"])
      rex.scores["a"] = 1
      bello.scores["b"] = 7
      rex.extra = .int(5)
      bello.extra = .string("five")
      realm.add([rex, bello, ida])
    }
  }

  private func names(_ isIncluded: (Query<Dog>) -> Query<Bool>) throws -> [String] {
    let results = realm.objects(Dog.self).where(isIncluded)
    let (format, arguments) = isIncluded(Query<Dog>._constructForTesting())._constructPredicate()
    let read = realm.objects(Dog.self).filter(RealmPredicate(format: format, argumentArray: arguments))
    #expect(read.map(\.name).sorted() == results.map(\.name).sorted(), "\(format)")
    return results.map(\.name).sorted()
  }

  @Test func `properties are compared with values`() throws {
    #expect(try names { $0.age > 2 } == ["Béllo", "Rex"])
    #expect(try names { $0.age.contains(2...3) } == ["Rex"])
    #expect(try names { $0.name.in(["Rex", "ida"]) } == ["Rex", "ida"])
    #expect(try names { $0.mood == .wild } == ["Rex"])
    #expect(try names { $0.mood.rawValue == "wild" } == ["Rex"])
    #expect(try names { $0.weight == nil } == ["Béllo", "ida"])
    #expect(try names { $0.weight != 8 } == ["Béllo", "Rex", "ida"])
    #expect(try names { $0.born < Date(timeIntervalSince1970: 60) } == ["Béllo"])
    #expect(
      try names { $0.name.contains("e", options: [.caseInsensitive, .diacriticInsensitive]) } == [
        "Béllo", "Rex",
      ])
    #expect(try names { $0.name.contains("e", options: .caseInsensitive) } == ["Rex"])
    #expect(try names { $0.name.contains("") } == [])
    #expect(try names { !($0.age == 1) && $0.name.like("*e*") } == ["Rex"])
    #expect(try names { $0.extra == .int(5) } == ["Rex"])
    #expect(try names { $0.extra == .string("five") } == ["Béllo"])
  }

  @Test func `links are followed, and objects found by them`() throws {
    let ann = try #require(realm.objects(Person.self).first)
    let ida = try #require(realm.object(ofType: Dog.self, forPrimaryKey: "ida"))
    #expect(try names { $0.owner == ann } == ["Rex", "ida"])
    #expect(try names { $0.owner == nil } == ["Béllo"])
    #expect(try names { $0.owner.name == "Ann" } == ["Rex", "ida"])
    #expect(try names { $0.friends.contains(ida) } == ["Béllo", "Rex"])
    #expect(try names { $0.friends.containsAny(in: [ida]) } == ["Béllo", "Rex"])
    #expect(try names { $0.friends.name == "Béllo" } == ["Rex"])
    #expect(try names { $0.friends.count == 2 } == ["Rex"])
    #expect(try names { $0.friends.age.sum == 6 } == ["Rex"])
    #expect(try names { $0.friends.age.avg == 1 } == ["Béllo"])
    #expect(try names { ($0.friends.age > 2 && $0.friends.name != "x").count == 1 } == ["Rex"])
    #expect(try names { $0.owner == Person() } == [])
  }

  @Test func `collections of values are searched and aggregated`() throws {
    #expect(try names { $0.tags.contains("big") } == ["Rex", "ida"])
    #expect(try names { $0.tags.count == 0 } == ["Béllo"])
    #expect(try names { $0.scores["a"] == 1 } == ["Rex"])
    #expect(try names { $0.scores.keys == "b" } == ["Béllo"])
    #expect(try names { $0.scores.values > 1 } == ["Béllo"])
    #expect(try names { $0.scores.max > 1 } == ["Béllo"])
    #expect(try names { $0.scores.contains(7) } == ["Béllo"])
    #expect(try names { $0.scores.contains(0...3) } == ["Rex"])
  }

  @Test func `formats find what closures do`() throws {
    let dogs = realm.objects(Dog.self)
    #expect(dogs.filter("age > %@ AND name BEGINSWITH[c] %@", 2, "r").map(\.name) == ["Rex"])
    #expect(dogs.filter("ANY friends.name == %@", "ida").map(\.name).sorted() == ["Béllo", "Rex"])
    #expect(
      dogs.filter(RealmPredicate(format: "name CONTAINS[d] 'e'")).map(\.name).sorted() == ["Béllo", "Rex"])
    #expect(dogs.filter("owner.dogs.@count == 2").count == 2)
    let sorted = dogs.sorted(byKeyPath: "age")
    #expect(sorted.index(matching: "age == 5") == 2 && sorted.index(matching: { $0.age == 3 }) == 1)
    #expect(sorted.index(matching: { $0.age == 33 }) == nil)
  }

  @Test func `key paths have names`() {
    #expect(_name(for: \Dog.name) == "name")
    #expect(_name(for: \Dog.owner?.name) == "owner.name")
    #expect(_name(for: \Dog.friends) == "friends")
  }
}
