import Foundation
import RealmSwift
import Testing

/// The members of Realm's class Map, one after the other.
struct MapTests {
  private func person(in realm: Realm) throws -> Person {
    let ann = Person(value: ["name": "Ann"])
    for (key, name, age) in [("b", "Rex", 3), ("a", "Max", 5), ("c", "Ben", 1)] {
      ann.favourites[key] = Dog(value: ["name": name, "age": age])
    }
    try realm.write { realm.add(ann) }
    return ann
  }

  @Test func `values are filtered, sorted and aggregated as those of results are`() throws {
    let realm = try Realms.open()
    let dogs = try person(in: realm).favourites
    #expect(dogs.filter("age > %@", 2).map { $0?.name } == ["Max", "Rex"])
    #expect(dogs.where { $0.name == "Ben" }.map { $0?.age } == [1])
    #expect(dogs.sorted(byKeyPath: "age").map { $0?.name } == ["Ben", "Rex", "Max"])
    #expect(dogs.sorted(by: \.age, ascending: false).map { $0?.name } == ["Max", "Rex", "Ben"])
    #expect(dogs.sorted(by: [SortDescriptor(keyPath: "name")]).map { $0?.name } == ["Ben", "Max", "Rex"])
    #expect(dogs.min(ofProperty: "age") == 1)
    #expect(dogs.max(of: \.age) == 5)
    #expect(dogs.sum(of: \.age) == 9)
    #expect(dogs.average(ofProperty: "age") == 3.0)
    #expect(dogs.contains { key, dog in key == "a" && dog?.name == "Max" })
  }

  @Test func `values that are no objects are sorted and aggregated by themselves`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "scores": ["x": 2, "y": 1, "z": 6]])
    #expect(rex.scores.max() == 6)
    try realm.write { realm.add(rex) }
    #expect(rex.scores.min() == 1)
    #expect(rex.scores.max() == 6)
    #expect(rex.scores.sum() == 9)
    #expect(rex.scores.average() == 3.0)
    #expect(Array(rex.scores.sorted()) == [1, 2, 6])
    #expect(Array(rex.scores.sorted(ascending: false)) == [6, 2, 1])
    try realm.write { rex.scores.removeAll() }
    #expect(rex.scores.min() == nil)
    #expect(rex.scores.sum() == 0)
    #expect(rex.scores.average() as Double? == nil)
  }

  @Test func `values are read and set by name`() throws {
    let realm = try Realms.open()
    let ann = try person(in: realm)
    #expect((ann.favourites.value(forKey: "a") as? Dog)?.name == "Max")
    #expect(ann.favourites.value(forKey: "q") == nil)
    #expect(ann.favourites.value(forKeyPath: "a.name") as? String == "Max")
    #expect(ann.favourites.value(forKeyPath: "@sum.age") as? Int == 9)
    #expect(ann.favourites.value(forKey: "invalidated") as? Bool == false)
    let rex = try #require(realm.object(ofType: Dog.self, forPrimaryKey: "Rex"))
    try realm.write {
      rex.scores.setValue(4, forKey: "x")
      rex.scores.setValue(5, forKey: "y")
      rex.scores.setValue(nil, forKey: "x")
    }
    #expect(rex.scores.keys == ["y"])
    #expect(rex.scores.object(forKey: "y" as AnyObject) as? Int == 5)
  }

  @Test func `entries come in the order of their keys, and are merged`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "scores": ["b": 1, "a": 2]])
    try realm.write { realm.add(rex) }
    #expect(rex.scores.map { "\($0.key)\($0.value)" } == ["a2", "b1"])
    #expect(rex.scores.asKeyValueSequence().map(\.key) == ["a", "b"])
    let other = Map<String, Int>()
    other["a"] = 5
    other["c"] = 6
    try realm.write { rex.scores.merge(other) { old, new in old * new } }
    #expect(rex.scores.values == [10, 1, 6])
    // A loop goes over the entries that there were.
    try realm.write { for (key, value) in rex.scores where value > 1 { rex.scores.removeObject(for: key) } }
    #expect(rex.scores.keys == ["b"])
    let frozen = rex.scores.freeze()
    try realm.write { rex.scores["b"] = nil }
    #expect(frozen["b"] == 1 && frozen.isFrozen)
    #expect(frozen.thaw()?.count == 0)
  }

  @Test func `a map is a JSON object`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "scores": ["b": 1, "a": 2]])
    try realm.write { realm.add(rex) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(rex.scores)
    #expect(String(decoding: data, as: UTF8.self) == #"{"a":2,"b":1}"#)
    let decoded = try JSONDecoder().decode(Map<String, Int>.self, from: data)
    #expect(decoded["a"] == 2 && decoded["b"] == 1 && decoded.count == 2)
  }
}
