import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of types of one's own (`CustomPersistable`, `FailableCustomPersistable`, the wrappers of
/// `ObjectAccessorTests`, `ObjectCreationTests`, `ListTests`, `QueryTests`).
struct CustomPortTests {
  private static let date = Date(timeIntervalSince1970: 7)
  private static let id = ObjectId("1234567890ab1234567890ab")
  private static let uuid = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))

  private func fill(_ object: AllWrappers) {
    object.bool = BoolWrapper(persistedValue: true)
    object.int = IntWrapper(persistedValue: 5)
    object.int8 = Int8Wrapper(persistedValue: -3)
    object.float = FloatWrapper(persistedValue: 1.5)
    object.double = DoubleWrapper(persistedValue: 2.5)
    object.string = StringWrapper(persistedValue: "s")
    object.data = DataWrapper(persistedValue: Data([1]))
    object.date = DateWrapper(persistedValue: Self.date)
    object.decimal = DecimalWrapper(persistedValue: 3.5)
    object.objectId = ObjectIdWrapper(persistedValue: Self.id)
    object.uuid = UUIDWrapper(persistedValue: Self.uuid)
    object.pair = PairWrapper(1, "p")
    object.even = EvenWrapper(4)
    object.optInt = IntWrapper(persistedValue: 6)
    object.optPair = PairWrapper(2, "q")
    object.optEven = EvenWrapper(8)
    object.ints.append(objectsIn: [2, 1].map { IntWrapper(persistedValue: $0) })
    object.strings.insert(StringWrapper(persistedValue: "a"))
    object.optStrings.append(objectsIn: [StringWrapper(persistedValue: "x"), nil])
    object.doubles["k"] = DoubleWrapper(persistedValue: 0.5)
    object.optDates["n"] = .some(nil)
    object.pairs.append(objectsIn: [PairWrapper(3, "r"), PairWrapper(4, "t")])
    object.evens.append(EvenWrapper(2))
  }

  private func check(_ object: AllWrappers) {
    #expect(object.bool.persistedValue && object.int.persistedValue == 5 && object.int8.persistedValue == -3)
    #expect(object.float.persistedValue == 1.5 && object.double.persistedValue == 2.5)
    #expect(object.string.persistedValue == "s" && object.data.persistedValue == Data([1]))
    #expect(object.date.persistedValue == Self.date && object.decimal.persistedValue == 3.5)
    #expect(object.objectId.persistedValue == Self.id && object.uuid.persistedValue == Self.uuid)
    #expect(object.pair == PairWrapper(1, "p") && object.even == EvenWrapper(4))
    #expect(
      object.optInt == IntWrapper(persistedValue: 6) && object.optString == nil && object.optDate == nil)
    #expect(object.optPair == PairWrapper(2, "q") && object.optEven == EvenWrapper(8))
    #expect(object.optNonempty == nil && object.nonempty == NonemptyWrapper("some"))
    #expect(object.ints.map(\.persistedValue) == [2, 1])
    #expect(object.strings.contains(StringWrapper(persistedValue: "a")) && object.strings.count == 1)
    #expect(object.optStrings.map { $0?.persistedValue } == ["x", nil])
    #expect(object.doubles["k"]?.persistedValue == 0.5 && object.optDates["n"] == .some(nil))
    #expect(object.pairs.map(\.y) == ["r", "t"] && Array(object.evens) == [EvenWrapper(2)])
  }

  @Test func `defaults are made of those of the stored types`() {
    let object = AllWrappers()
    #expect(
      !object.bool.persistedValue && object.int.persistedValue == 0 && object.string.persistedValue == "")
    #expect(object.decimal.persistedValue == 0 && object.data.persistedValue.isEmpty)
    #expect(object.uuid != AllWrappers().uuid && object.objectId != AllWrappers().objectId)
    #expect(object.pair == PairWrapper(0, "") && object.even == EvenWrapper(0))
    #expect(object.optInt == nil && object.optPair == nil && object.optNonempty == nil)
    #expect(object.ints.isEmpty && object.pairs.isEmpty)
  }

  @Test func `values are read and set, in no Realm and in one`() throws {
    let realm = try WrapperRealms.open()
    let object = AllWrappers()
    fill(object)
    check(object)
    try realm.write { realm.add(object) }
    check(object)
    check(try #require(realm.objects(AllWrappers.self).first))
    check(object.freeze())
    try realm.write {
      let managed = realm.create(AllWrappers.self, value: ["id": 1])
      fill(managed)
      check(managed)
      managed.optInt = nil
      managed.optPair = nil
      managed.ints[0] = IntWrapper(persistedValue: 9)
      managed.ints.removeLast()
      managed.pairs[1] = PairWrapper(5, "u")
      managed.doubles.removeAll()
      managed.strings.remove(StringWrapper(persistedValue: "a"))
      #expect(managed.optInt == nil && managed.optPair == nil && managed.ints.map(\.persistedValue) == [9])
      #expect(managed.pairs.map(\.x) == [3, 5] && managed.doubles.count == 0 && managed.strings.isEmpty)
    }
  }

  @Test func `the schema shows what is stored`() throws {
    let realm = try WrapperRealms.open()
    let schema = try #require(realm.schema["AllWrappers"])
    let types: [String: PropertyType] = [
      "bool": .bool, "int": .int, "int8": .int, "float": .float, "double": .double, "string": .string,
      "data": .data, "date": .date, "decimal": .decimal128, "objectId": .objectId, "uuid": .UUID,
      "pair": .object, "even": .int, "optInt": .int, "ints": .int, "strings": .string, "doubles": .double,
      "pairs": .object, "evens": .int,
    ]
    for (name, type) in types { #expect(schema[name]?.type == type, "\(name)") }
    #expect(schema["pair"]?.objectClassName == "Stored" && schema["pairs"]?.isArray == true)
    #expect(schema["optInt"]?.isOptional == true && schema["int"]?.isOptional == false)
    #expect(schema["int"]?.isIndexed == true && schema["doubles"]?.isMap == true)
    #expect(schema["optDates"]?.isOptional == true)
  }

  @Test func `objects are made of stored values and of values of the types`() throws {
    let realm = try WrapperRealms.open()
    let (one, two) = try realm.write {
      (
        realm.create(
          AllWrappers.self,
          value: [
            "id": 1, "int": 5, "string": "s", "pair": [1, "p"] as [Any], "even": 4, "optInt": NSNull(),
            "ints": [2, 1], "doubles": ["k": 0.5], "pairs": [[3, "r"] as [Any], ["x": 4, "y": "t"]],
            "optStrings": ["x", NSNull()] as [Any],
          ] as [String: Any]),
        realm.create(
          AllWrappers.self,
          value: [
            "id": 2, "int": IntWrapper(persistedValue: 5), "string": StringWrapper(persistedValue: "s"),
            "pair": PairWrapper(1, "p"), "even": EvenWrapper(4), "optInt": NSNull(),
            "ints": [IntWrapper(persistedValue: 2), IntWrapper(persistedValue: 1)],
            "doubles": ["k": DoubleWrapper(persistedValue: 0.5)],
            "pairs": [PairWrapper(3, "r"), PairWrapper(4, "t")],
            "optStrings": [StringWrapper(persistedValue: "x"), nil],
          ] as [String: Any])
      )
    }
    for object in [one, two] {
      #expect(object.int.persistedValue == 5 && object.string.persistedValue == "s")
      #expect(object.pair == PairWrapper(1, "p") && object.even.value == 4 && object.optInt == nil)
      #expect(object.ints.map(\.persistedValue) == [2, 1] && object.doubles["k"]?.persistedValue == 0.5)
      #expect(object.pairs.map(\.y) == ["r", "t"] && object.optStrings.count == 2)
    }
    let unmanaged = AllWrappers(value: ["int": 3, "pair": PairWrapper(7, "z"), "ints": [1]] as [String: Any])
    #expect(unmanaged.int.persistedValue == 3 && unmanaged.pair.x == 7 && unmanaged.ints.count == 1)
  }

  @Test func `names lead to what is stored, and take both`() throws {
    let realm = try WrapperRealms.open()
    func check(_ object: AllWrappers) {
      object["int"] = 8
      #expect(object.int.persistedValue == 8 && object["int"] as? Int == 8)
      object["int"] = IntWrapper(persistedValue: 9)
      #expect(object["int"] as? Int == 9)
      object["optString"] = "x"
      #expect(object.optString?.persistedValue == "x" && object["optString"] as? String == "x")
      object["optString"] = nil
      #expect(object.optString == nil && object["optString"] == nil)
      object["ints"] = [4, 5]
      #expect(object.ints.map(\.persistedValue) == [4, 5])
      object["pair"] = PairWrapper(6, "v")
      #expect(object.pair == PairWrapper(6, "v"))
      #expect((object["pair"] as? PairWrapper.Stored)?.x == 6)
    }
    check(AllWrappers())
    try realm.write { check(realm.create(AllWrappers.self)) }
  }

  @Test func `values are queried, sorted and aggregated as what they are stored as`() throws {
    let realm = try WrapperRealms.open()
    try realm.write {
      for number in 1...3 {
        let object = realm.create(AllWrappers.self, value: ["id": number])
        object.int = IntWrapper(persistedValue: number)
        object.string = StringWrapper(persistedValue: "s\(number)")
        object.double = DoubleWrapper(persistedValue: Double(number) / 2)
        object.date = DateWrapper(persistedValue: Date(timeIntervalSince1970: Double(number)))
        object.pair = PairWrapper(number, "p")
        object.ints.append(objectsIn: (0..<number).map { IntWrapper(persistedValue: $0) })
        object.doubles["k"] = DoubleWrapper(persistedValue: Double(number))
        if number == 2 { object.optInt = IntWrapper(persistedValue: 2) }
      }
    }
    let all = realm.objects(AllWrappers.self)
    func ids(_ results: Results<AllWrappers>) -> [Int] { results.map(\.id) }
    #expect(ids(all.where { $0.int == IntWrapper(persistedValue: 2) }) == [2])
    #expect(ids(all.where { $0.int > IntWrapper(persistedValue: 1) }) == [2, 3])
    #expect(ids(all.where { $0.int.persistableValue < 3 }) == [1, 2])
    #expect(
      ids(all.where { $0.int.in([IntWrapper(persistedValue: 1), IntWrapper(persistedValue: 3)]) }) == [1, 3])
    #expect(ids(all.where { $0.string.persistableValue.starts(with: "s") }) == [1, 2, 3])
    #expect(ids(all.where { $0.string != StringWrapper(persistedValue: "s1") }) == [2, 3])
    #expect(ids(all.where { $0.optInt == nil }) == [1, 3])
    #expect(ids(all.where { $0.date >= DateWrapper(persistedValue: Date(timeIntervalSince1970: 3)) }) == [3])
    #expect(ids(all.where { $0.pair == PairWrapper(2, "p") }) == [2])
    #expect(ids(all.where { $0.pair != PairWrapper(2, "p") }) == [1, 3])
    #expect(ids(all.where { $0.ints.contains(IntWrapper(persistedValue: 2)) }) == [3])
    #expect(ids(all.where { $0.doubles["k"] == DoubleWrapper(persistedValue: 2) }) == [2])
    #expect(ids(all.filter("int == %@", IntWrapper(persistedValue: 2))) == [2])
    #expect(ids(all.filter("pair.x == 3")) == [3])
    #expect(ids(all.filter("ANY ints == 1")) == [2, 3])
    #expect(ids(all.sorted(byKeyPath: "int", ascending: false)) == [3, 2, 1])
    #expect(ids(all.sorted(byKeyPath: "pair.x", ascending: false)) == [3, 2, 1])
    #expect(all.sum(ofProperty: "int") as Int == 6 && all.max(ofProperty: "double") as Double? == 1.5)
    #expect(all.min(of: \.int) == IntWrapper(persistedValue: 1))
    #expect(all.last?.ints.sorted(ascending: false).map(\.persistedValue) == [2, 1, 0])
    #expect(all.last?.ints.max() == IntWrapper(persistedValue: 2))
    #expect(all.last?.ints.sum() == IntWrapper(persistedValue: 3))
    #expect(all.last?.ints.index(of: IntWrapper(persistedValue: 1)) == 1)
    #expect(all.distinct(by: ["string"]).count == 3)
    #expect(all.sectioned(by: \.int).allKeys.map(\.persistedValue) == [1, 2, 3])
  }

  @Test func `objects are identified by types of one's own`() throws {
    let realm = try WrapperRealms.open()
    try realm.write {
      realm.add(WrappedKey(value: ["a", 1] as [Any]))
      realm.create(
        WrappedKey.self, value: ["key": StringWrapper(persistedValue: "b"), "value": 2] as [String: Any])
      realm.create(WrappedKey.self, value: ["a", 5] as [Any], update: .modified)
    }
    #expect(realm.objects(WrappedKey.self).count == 2)
    #expect(realm.object(ofType: WrappedKey.self, forPrimaryKey: "a")?.value == 5)
    let key = StringWrapper(persistedValue: "b")
    #expect(realm.object(ofType: WrappedKey.self, forPrimaryKey: key)?.value == 2)
  }

  @Test func `what is stored and is no value is nil where that may be`() throws {
    let realm = try WrapperRealms.open()
    try realm.write {
      realm.dynamicCreate("AllWrappers", value: ["id": 1, "optEven": 3, "optNonempty": ""] as [String: Any])
    }
    let object = try #require(realm.objects(AllWrappers.self).first)
    #expect(object.optEven == nil && object.optNonempty == nil)
    #expect(realm.objects(AllWrappers.self).filter("optEven == 3").count == 1)
    try realm.write { object.optEven = EvenWrapper(6) }
    #expect(object.optEven == EvenWrapper(6))
    #expect(AllWrappers(value: ["optEven": 4]).optEven == EvenWrapper(4))
  }
}
