import Foundation
import RealmSwift
import Testing

/// Lists and dictionaries inside of mixed values.
struct MixedTests {
  @Test func `collections in a mixed value change in place`() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex"])
    rex.extra = .fromDictionary(["toys": .fromArray([.string("ball"), .int(2)]), "age": .int(3)])
    try realm.write { realm.add(rex) }
    let extra = try #require(rex.extra.dictionaryValue)
    let toys = try #require(extra["toys"]?.listValue)
    #expect(extra.realm == realm)
    #expect(toys.count == 2)
    #expect(toys[0].stringValue == "ball")
    try realm.write {
      toys.append(.string("bone"))
      toys[1] = .bool(true)
      toys.insert(.int(0), at: 0)
      extra["age"] = .int(4)
      extra["deep"] = .fromDictionary(["x": .fromArray([.int(1)])])
    }
    #expect(Array(toys) == [.int(0), .string("ball"), .bool(true), .string("bone")])
    #expect(extra["age"]?.intValue == 4)
    let deep = try #require(extra["deep"]?.dictionaryValue?["x"]?.listValue)
    try realm.write {
      deep.append(.fromArray([.string("y")]))
      toys.move(from: 3, to: 0)
      toys.remove(at: 1)
    }
    #expect(deep[1].listValue?.first?.stringValue == "y")
    #expect(toys[0].stringValue == "bone" && toys.count == 3)
    #expect(extra.keys == ["age", "deep", "toys"])
    try realm.write { extra["toys"] = nil }
    #expect(toys.isInvalidated)
    #expect(!extra.isInvalidated)
    try realm.write { rex.extra = .int(1) }
    #expect(extra.isInvalidated)
  }

  @Test func `collections in a list's elements change in place, and are frozen`() throws {
    let realm = try Realms.open()
    let all = Everything()
    all.mixed.append(.fromDictionary(["a": .int(1)]))
    try realm.write { realm.add(all) }
    let map = try #require(all.mixed[0].dictionaryValue)
    let frozen = map.freeze()
    try realm.write { map["b"] = .int(2) }
    #expect(map.count == 2)
    #expect(all.mixed[0].dictionaryValue?["b"]?.intValue == 2)
    #expect(frozen.count == 1)
    #expect(frozen.thaw()?.count == 2)
  }
}
