import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of objects (`ObjectTests`, `ObjectCreationTests`, `ObjectAccessorTests`).
struct ObjectPortTests {
  private func matches(_ text: String, _ pattern: String) -> Bool {
    text.range(of: "^\(pattern)$", options: .regularExpression) != nil
  }

  @Test func `the text of an object shows its properties, as Realm writes them`() throws {
    class Shown: Object {
      @Persisted var boolCol = false
      @Persisted var intCol = 123
      @Persisted var intEnumCol = IntEnum.value1
      @Persisted var floatCol = 1.23 as Float
      @Persisted var doubleCol = 12.3
      @Persisted var stringCol = "a"
      @Persisted var binaryCol = Data("a".utf8)
      @Persisted var dateCol = Date(timeIntervalSince1970: 1)
      @Persisted var objectIdCol = ObjectId("1234567890ab1234567890ab")
      @Persisted var objectCol: StringObject? = StringObject(value: ["x"])
      @Persisted var uuidCol = UUID(uuidString: "137decc8-b300-4954-a233-f89909f4fd89") ?? UUID()
      @Persisted var anyCol = AnyRealmValue.string("hello")
      @Persisted var optCol: Int?
      @Persisted var arrayCol: List<StringObject>
      @Persisted var setCol: MutableSet<StringObject>
      @Persisted var mapCol: Map<String, StringObject?>

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    #expect(
      matches(
        Shown().description,
        #"Shown \{\n\tboolCol = 0;\n\tintCol = 123;\n\tintEnumCol = 1;\n\tfloatCol = 1\.23;\n\tdoubleCol = 12\.3;\n"#
          + #"\tstringCol = a;\n\tbinaryCol = <.*61.*>;\n\tdateCol = 1970-01-01 00:00:01 \+0000;\n"#
          + #"\tobjectIdCol = 1234567890ab1234567890ab;\n\tobjectCol = StringObject \{\n\t\tstringCol = x;\n\t\};\n"#
          + #"\tuuidCol = 137DECC8-B300-4954-A233-F89909F4FD89;\n\tanyCol = hello;\n\toptCol = \(null\);\n"#
          + #"\tarrayCol = List<StringObject> <0x[0-9a-f]+> \(\n\t\n\t\);\n"#
          + #"\tsetCol = MutableSet<StringObject> <0x[0-9a-f]+> \(\n\t\n\t\);\n"#
          + #"\tmapCol = Map<string, StringObject> <0x[0-9a-f]+> \(\n\t\n\t\);\n\}"#))
  }

  @Test func `the text of what is nested too deep is cut off`() {
    let recursive = RecursiveObject()
    recursive.objects.append(recursive)
    #expect(
      matches(
        recursive.description,
        #"RecursiveObject \{\n\tobjects = List<RecursiveObject> <0x[0-9a-f]+> \(\n\t\t\[0\] RecursiveObject \{\n"#
          + #"\t\t\tobjects = List<RecursiveObject> <0x[0-9a-f]+> \(\n\t\t\t\t\[0\] RecursiveObject \{\n"#
          + #"\t\t\t\t\tobjects = <Maximum depth exceeded>;\n\t\t\t\t\}\n\t\t\t\);\n\t\t\}\n\t\);\n\}"#))
    recursive.objects.removeAll()
  }

  @Test func `the texts of collections name the type of their elements`() throws {
    let object = AllTypes()
    object.arrayInt.append(objectsIn: 1...3)
    object.arrayOptString.append(objectsIn: ["a", nil])
    object.arrayBool.append(true)
    object.mapAny["a"] = .int(1)
    object.mapCol["b"] = .some(nil)
    #expect(
      matches(
        object.arrayInt.description, #"List<int> <0x[0-9a-f]+> \(\n\t\[0\] 1,\n\t\[1\] 2,\n\t\[2\] 3\n\)"#))
    #expect(
      matches(
        object.arrayOptString.description, #"List<string> <0x[0-9a-f]+> \(\n\t\[0\] a,\n\t\[1\] <null>\n\)"#))
    #expect(matches(object.arrayBool.description, #"List<bool> <0x[0-9a-f]+> \(\n\t\[0\] 1\n\)"#))
    #expect(matches(object.arrayEnum.description, #"List<int> <0x[0-9a-f]+> \(\n\n\)"#))
    #expect(matches(object.mapAny.description, #"Map<string, mixed> <0x[0-9a-f]+> \(\n\[a\]: 1\n\)"#))
    #expect(matches(object.mapCol.description, #"Map<string, AllTypes> <0x[0-9a-f]+> \(\n\[b\]: <null>\n\)"#))
    let realm = try PortedRealms.open()
    try realm.write { for index in 0..<102 { realm.create(StringObject.self, value: ["\(index)"]) } }
    let text = realm.objects(StringObject.self).description
    #expect(text.hasPrefix("Results<StringObject> <0x"))
    #expect(text.contains("\t[99] StringObject {\n\t\tstringCol = 99;\n\t}\n\t... 2 objects skipped.\n)"))
    #expect(text.contains("\t[0] StringObject {\n\t\tstringCol = 0;\n\t},\n\t[1]"))
  }

  @Test func `properties are found by key, managed and not`() throws {
    let realm = try PortedRealms.open()
    func check(_ object: AllTypes) {
      #expect(object.value(forKey: "boolCol") as? Bool == false)
      #expect(object.value(forKey: "int8Col") as? Int8 == 1)
      #expect(object.value(forKey: "floatCol") as? Float == 5)
      #expect(object.value(forKey: "intEnumCol") as? Int == 1)
      #expect(object.value(forKey: "stringEnumCol") as? String == "a")
      #expect(object.value(forKey: "anyCol") == nil)
      #expect(object.value(forKey: "objectCol") == nil)
      #expect(object.value(forKey: "optIntEnumCol") == nil)
      #expect(object.value(forKey: "arrayCol") is List<AllTypes>)
      #expect(object.value(forKey: "setCol") is MutableSet<AllTypes>)
      #expect(object.value(forKey: "mapCol") is Map<String, AllTypes?>)
      #expect(object["arrayInt"] is List<Int>)
      #expect(object["mapOptInt"] is Map<String, Int?>)
      #expect(object.value(forKey: "linkingObjects") is LinkingObjects<AllTypes>)
    }
    check(AllTypes())
    let added = AllTypes()
    try realm.write { realm.add(added) }
    check(added)
    check(try #require(realm.objects(AllTypes.self).first))
  }

  private func setAndCheckAll(_ object: AllTypes) {
    func set(_ value: Any?, _ name: String) { object[name] = value }
    set(true, "boolCol")
    #expect(object.boolCol)
    set(321, "intCol")
    #expect(object.intCol == 321)
    set(NSNumber(value: 5), "int8Col")
    #expect(object.int8Col == 5)
    set(32.5 as Float, "floatCol")
    #expect(object.floatCol == 32.5)
    set(7, "doubleCol")
    #expect(object.doubleCol == 7)
    set("z", "stringCol")
    #expect(object.stringCol == "z")
    set(Data("z".utf8), "binaryCol")
    #expect(object.binaryCol == Data("z".utf8))
    set(Date(timeIntervalSince1970: 333), "dateCol")
    #expect(object.dateCol.timeIntervalSince1970 == 333)
    set("1.5", "decimalCol")
    #expect(object.decimalCol == 1.5)
    set(2, "decimalCol")
    #expect(object.decimalCol == 2)
    set("137decc8-b300-4954-a233-f89909f4fd89", "uuidCol")
    #expect(object.uuidCol.uuidString == "137DECC8-B300-4954-A233-F89909F4FD89")
    set(3, "intEnumCol")
    #expect(object.intEnumCol == .value2)
    set(IntEnum.value3, "intEnumCol")
    #expect(object.intEnumCol == .value3)
    set("c", "optStringEnumCol")
    #expect(object.optStringEnumCol == .value2)
    set(NSNull(), "optStringEnumCol")
    #expect(object.optStringEnumCol == nil)
    set(nil, "optIntCol")
    set("hello", "anyCol")
    #expect(object.anyCol == .string("hello"))
    set(AnyRealmValue.int(3), "anyCol")
    #expect(object.anyCol.intValue == 3)
    set([1, 2], "arrayInt")
    #expect(Array(object.arrayInt) == [1, 2])
    set(NSNull(), "arrayInt")
    #expect(object.arrayInt.isEmpty)
    set([1, nil] as [Int?], "arrayOptInt")
    #expect(Array(object.arrayOptInt) == [1, nil])
    set([3, 5], "arrayEnum")
    #expect(Array(object.arrayEnum) == [.value2, .value3])
    set(["a": 1], "mapInt")
    #expect(object.mapInt["a"] == 1)
    set(["a": NSNull(), "b": 2] as [String: Any], "mapOptInt")
    #expect(object.mapOptInt["a"] == .some(nil))
    #expect(object.mapOptInt["b"] == 2)
    let other = AllTypes(value: ["stringCol": "other"])
    set(other, "objectCol")
    #expect(object.objectCol?.stringCol == "other")
    set([other, ["stringCol": "third"]] as [Any], "arrayCol")
    #expect(object.arrayCol.map(\.stringCol) == ["other", "third"])
    let list = List<AllTypes>()
    list.append(other)
    set(list, "arrayCol")
    #expect(object.arrayCol.count == 1)
    list.removeAll()
    set(list, "arrayCol")
    #expect(object.arrayCol.isEmpty)
    set(["one": other, "two": NSNull()] as [String: Any], "mapCol")
    #expect(object.mapCol["one"]??.stringCol == "other")
    #expect(object.mapCol.count == 2)
    set([other], "setCol")
    #expect(object.setCol.count == 1)
  }

  @Test func `properties are set by key to whatever fits, managed and not`() throws {
    setAndCheckAll(AllTypes())
    let realm = try PortedRealms.open()
    try realm.write {
      let added = AllTypes()
      realm.add(added)
      setAndCheckAll(added)
      setAndCheckAll(realm.create(AllTypes.self))
    }
  }

  @Test func `dynamic objects have properties of all types`() throws {
    let realm = try PortedRealms.open()
    try realm.write {
      let object = realm.dynamicCreate("AllTypes")
      let other = realm.dynamicCreate("AllTypes", value: ["stringCol": "b", "intCol": 4])
      object["objectCol"] = other
      #expect((object["objectCol"] as? DynamicObject)?["intCol"] as? Int == 4)
      #expect((object.objectCol as? DynamicObject)?.isSameObject(as: other) == true)
      object["arrayCol"] = [other]
      #expect((object["arrayCol"] as? List<DynamicObject>)?.first?["stringCol"] as? String == "b")
      object["setCol"] = [other, other]
      #expect((object["setCol"] as? MutableSet<DynamicObject>)?.count == 1)
      object["mapCol"] = ["x": other]
      #expect((object["mapCol"] as? Map<String, DynamicObject?>)?["x"]??["stringCol"] as? String == "b")
      #expect(object.dynamicList("arrayCol").count == 1)
      #expect(object.dynamicMutableSet("setCol").count == 1)
      let map: Map<String, DynamicObject?> = object.dynamicMap("mapCol")
      #expect(map.keys == ["x"])
      object.stringCol = "c"
      #expect(object["stringCol"] as? String == "c")
      object["optIntCol"] = 5
      object["optIntCol"] = nil
      #expect(object["optIntCol"] == nil)
    }
  }

  @Test func `objects are made of nulls, of managed objects, and of objects of other Realms`() throws {
    let (realm, other) = (try PortedRealms.open(), try PortedRealms.open())
    let source = AllTypes(value: [
      "stringCol": "s", "objectCol": ["stringCol": "t"], "arrayCol": [["stringCol": "u"]],
    ])
    try other.write { other.add(source) }
    try realm.write {
      let empty = realm.create(
        AllTypes.self,
        value: ["objectCol": NSNull(), "arrayCol": NSNull(), "mapCol": NSNull(), "optIntCol": NSNull()])
      #expect(empty.objectCol == nil)
      #expect(empty.arrayCol.isEmpty)
      #expect(empty.int16Col == 2)
      let copy = realm.create(AllTypes.self, value: source)
      #expect(copy.realm == realm)
      #expect(copy.stringCol == "s")
      #expect(copy.objectCol?.stringCol == "t")
      #expect(copy.objectCol?.realm == realm)
      #expect(copy.arrayCol.first?.stringCol == "u")
      #expect(copy.pk == source.pk)
    }
    #expect(realm.objects(AllTypes.self).count == 4)
    try realm.write {
      // Objects that are there are updated.
      let again = realm.create(AllTypes.self, value: source, update: .modified)
      #expect(again.objectCol?.stringCol == "t")
    }
    #expect(realm.objects(AllTypes.self).count == 4)
  }

  @Test func `embedded objects are made with their owner, copied, and updated`() throws {
    let realm = try PortedRealms.open()
    try realm.write {
      let parent = realm.create(
        EmbeddedParent.self,
        value: [
          "object": ["value": 5, "child": ["value": 6], "children": [[7], [8]]] as [String: Any],
          "array": [[9], [10]],
        ])
      #expect(parent.object?.value == 5)
      #expect(parent.object?.child?.value == 6)
      #expect(parent.object?.children.map(\.value) == [7, 8])
      #expect(parent.array.map(\.value) == [9, 10])
      #expect(parent.object?.parent.first?.isSameObject(as: parent) == true)
      let copy = realm.create(EmbeddedParent.self, value: parent)
      #expect(!copy.isSameObject(as: parent))
      #expect(copy.object?.isSameObject(as: parent.object) == false)
      #expect(copy.object?.child?.value == 6)
      #expect(copy.array.map(\.value) == [9, 10])
      #expect(parent.array.map(\.value) == [9, 10])
      parent.map["a"] = EmbeddedTree1(value: [3])
      #expect(parent.map["a"]??.value == 3)
      let old = parent.map["a"] ?? nil
      parent.map["a"] = EmbeddedTree1(value: [4])
      #expect(old?.isInvalidated == true)
      let primary = realm.create(
        EmbeddedPrimaryParent.self, value: [0, [5, [6], [[7], [8]]] as [Any], [[9], [10]]] as [Any])
      #expect(primary.object?.children.map(\.value) == [7, 8])
      realm.create(
        EmbeddedPrimaryParent.self, value: ["pk": 0, "object": ["value": 50]] as [String: Any], update: .all)
      #expect(primary.object?.value == 50)
      #expect(primary.array.map(\.value) == [9, 10])
      realm.create(
        EmbeddedPrimaryParent.self, value: ["pk": 0, "object": NSNull(), "array": [[1]]], update: .all)
      #expect(primary.object == nil)
      #expect(primary.array.map(\.value) == [1])
    }
  }

  @Test func `frozen objects are equal in one state, and thawed ones follow`() throws {
    let configuration = PortedRealms.configuration()
    let realm = try Realm(configuration: configuration)
    let object = AllTypes()
    try realm.write { realm.add(object) }
    let (first, second) = (object.freeze(), object.freeze())
    #expect(first == second)
    #expect(Set([first, second]).count == 1)
    try realm.write { object.boolCol = true }
    #expect(object.freeze() != first)
    #expect(first.thaw()?.boolCol == true)
    #expect(first.realm?.isFrozen == true)
    #expect(first.realm?.freeze().isFrozen == true)
    #expect(first.realm?.thaw() == realm)
    try realm.write {
      object.boolCol = false
      #expect(object.freeze().boolCol)
    }
    let link = AllTypes()
    try realm.write { object.objectCol = link }
    let frozen = object.freeze()
    #expect(frozen.objectCol?.isFrozen == true)
    #expect(frozen.objectCol?.linkingObjects.first == frozen)
    #expect(frozen.arrayInt.isFrozen)
  }

  @Test func `an object of a cancelled transaction is gone, and a deleted one comes back`() throws {
    let realm = try PortedRealms.open()
    let kept = StringObject(value: ["kept"])
    try realm.write { realm.add(kept) }
    realm.beginWrite()
    let object = realm.create(StringObject.self, value: ["a"])
    realm.delete(kept)
    #expect(kept.isInvalidated)
    realm.cancelWrite()
    #expect(object.isInvalidated)
    #expect(object.realm == nil || object.isInvalidated)
    #expect(realm.objects(StringObject.self).map(\.stringCol) == ["kept"])
  }
}
