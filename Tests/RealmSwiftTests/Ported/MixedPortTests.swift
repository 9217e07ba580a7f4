import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of mixed values (`AnyRealmValueTests`, `MixedCollectionTest`).
struct MixedPortTests {
  private static let date = Date(timeIntervalSince1970: 5)
  private static let uuid = UUID()
  private static let id = ObjectId.generate()

  @Test func `a mixed property holds a value of each type`() throws {
    let realm = try PortedRealms.open()
    let linked = StringObject(value: ["linked"])
    let values: [AnyRealmValue] = [
      .none, .int(1), .bool(true), .float(1.5), .double(2.5), .string("a"), .data(Data([1])),
      .date(Self.date),
      .objectId(Self.id), .decimal128(3), .uuid(Self.uuid), .object(linked),
    ]
    let unmanaged = AllTypes()
    let managed = AllTypes()
    try realm.write {
      realm.add(managed)
      for value in values {
        unmanaged.anyCol = value
        managed.anyCol = value
        #expect(unmanaged.anyCol == value)
        #expect(managed.anyCol == value)
      }
      #expect(managed.anyCol.object(StringObject.self)?.stringCol == "linked")
      #expect(managed.anyCol.object(AllTypes.self) == nil)
      #expect(managed.anyCol.dynamicObject?["stringCol"] as? String == "linked")
      managed.arrayAny.append(objectsIn: values)
      #expect(Array(managed.arrayAny) == values)
      for (index, value) in values.enumerated() { managed.mapAny["\(index)"] = value }
      #expect(managed.mapAny["5"] == .string("a"))
      #expect(managed.mapAny["11"]?.object(StringObject.self) == linked)
      realm.delete(linked)
      #expect(managed.anyCol == .none)
    }
  }

  @Test func `dictionaries and lists are in mixed values, and change in place`() throws {
    let realm = try PortedRealms.open()
    let object = AllTypes()
    object.anyCol = .fromDictionary([
      "int": .int(1), "list": .fromArray([.string("a"), .fromDictionary(["deep": .bool(true)])]),
    ])
    #expect(object.anyCol.dictionaryValue?["int"] == .int(1))
    try realm.write { realm.add(object) }
    let map = try #require(object.anyCol.dictionaryValue)
    #expect(map.realm == realm)
    #expect(map["list"]?.listValue?[1].dictionaryValue?["deep"] == .bool(true))
    try realm.write {
      map["int"] = .int(2)
      map["list"]?.listValue?.append(.int(3))
      map["list"]?.listValue?[1].dictionaryValue?["deep"] = .fromArray([.int(9)])
      map["new"] = .fromDictionary([:])
      map["new"]?.dictionaryValue?["x"] = .string("y")
    }
    #expect(object.anyCol.dictionaryValue?["int"] == .int(2))
    #expect(map["list"]?.listValue?.count == 3)
    #expect(map["list"]?.listValue?[1].dictionaryValue?["deep"]?.listValue?.first == .int(9))
    #expect(map["new"]?.dictionaryValue?["x"] == .string("y"))
    #expect(realm.objects(AllTypes.self).where { $0.anyCol["int"] == .int(2) }.count == 1)
    #expect(realm.objects(AllTypes.self).where { $0.anyCol["list"][0] == .string("a") }.count == 1)
    #expect(realm.objects(AllTypes.self).where { $0.anyCol["list"].any == .int(3) }.count == 1)
    #expect(realm.objects(AllTypes.self).filter("anyCol['new']['x'] == 'y'").count == 1)
    let frozen = try #require(object.freeze().anyCol.dictionaryValue)
    #expect(frozen.isFrozen)
    try realm.write {
      map.removeAll()
      object.arrayAny.append(.fromArray([.int(1), .int(2)]))
      object.mapAny["m"] = .fromDictionary(["a": .int(4)])
      object.arrayAny[0].listValue?.remove(at: 0)
      object.mapAny["m"]?.dictionaryValue?["a"] = .int(5)
    }
    #expect(frozen.count == 3)
    #expect(map.count == 0)
    #expect(object.arrayAny[0].listValue.map { Array($0) } == [.int(2)])
    #expect(object.mapAny["m"]?.dictionaryValue?["a"] == .int(5))
    try realm.write { object.anyCol = .int(1) }
    #expect(map.isInvalidated)
    try realm.write { object["anyCol"] = ["k": [1, "two", NSNull()]] as [String: Any] }
    #expect(
      object.anyCol.dictionaryValue?["k"]?.listValue.map { Array($0) } == [
        .int(1), .string("two"), AnyRealmValue.none,
      ])
  }

  @Test func `nested dictionaries and lists are observed`() throws {
    let realm = try PortedRealms.open()
    let object = AllTypes(value: ["anyCol": ["map": ["a": 1], "list": [1, 2]]])
    try realm.write { realm.add(object) }
    let queue = DispatchQueue(label: "observer")
    let told = Lines()
    let map = try #require(object.anyCol.dictionaryValue?["map"]?.dictionaryValue)
    let list = try #require(object.anyCol.dictionaryValue?["list"]?.listValue)
    let tokens = [
      map.observe(on: queue) { change in
        switch change {
        case .initial(let map): told.add("map \(map.count)")
        case .update(_, let deletions, let insertions, let modifications):
          told.add("map -\(deletions) +\(insertions) ~\(modifications)")
        case .error: told.add("error")
        }
      },
      list.observe(on: queue) { change in
        switch change {
        case .initial(let list): told.add("list \(list.count)")
        case .update(_, let deletions, let insertions, let modifications):
          told.add("list -\(deletions) +\(insertions) ~\(modifications)")
        case .error: told.add("error")
        }
      },
    ]
    #expect([told.next(), told.next()].sorted() == ["list 2", "map 1"])
    try realm.write {
      map["b"] = .int(2)
      map["a"] = .int(7)
    }
    #expect(told.next() == #"map -[] +["b"] ~["a"]"#)
    try realm.write { list.append(.int(3)) }
    #expect(told.next() == "list -[] +[2] ~[]")
    try realm.write { map.removeObject(for: "a") }
    #expect(told.next() == #"map -["a"] +[] ~[]"#)
    for token in tokens { token.invalidate() }
  }
}
