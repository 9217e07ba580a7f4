import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of lists, sets, maps and results (`ListTests`, `MutableSetTests`, `MapTests`, `RealmCollectionTypeTests`).
struct CollectionPortTests {
  private func strings(_ texts: String...) -> List<StringObject> {
    let list = List<StringObject>()
    list.append(objectsIn: texts.map { StringObject(value: [$0]) })
    return list
  }

  @Test func `collections in no Realm find by predicates, too`() {
    let list = strings("1", "2")
    #expect(list.index(matching: "stringCol = '1'") == 0)
    #expect(list.index(matching: "stringCol = %@", "2") == 1)
    #expect(list.index(matching: RealmPredicate(format: "stringCol = 'b'")) == nil)
    #expect(list.index(matching: { $0.stringCol == "2" }) == 1)
    let object = AllTypes()
    object.arrayInt.append(objectsIn: [5, 6, 7, 8])
    #expect(object.arrayInt.index(matching: RealmPredicate(format: "self == 7")) == 2)
    #expect(object.arrayInt.index(matching: RealmPredicate(format: "SELF == 9")) == nil)
    #expect(object.arrayInt.index(matching: { $0 > 6 }) == 2)
    object.setString.insert(objectsIn: ["a", "b"])
    #expect(object.setString.index(matching: { $0 == "b" }) != nil)
    let parent = AllTypes()
    parent.arrayCol.append(objectsIn: [object, AllTypes(value: ["objectCol": ["intCol": 3]])])
    #expect(parent.arrayCol.index(matching: "objectCol.intCol == 3") == 1)
    #expect(parent.arrayCol.index(matching: "ANY arrayInt == 6") == 0)
    #expect(parent.arrayCol.index(matching: "arrayInt.@count == 0") == 1)
    #expect(parent.arrayCol.index(matching: { $0.arrayInt.contains(8) }) == 0)
  }

  @Test func `collections in no Realm aggregate, and show values by key`() {
    let parent = AllTypes()
    for (int, float, date) in [(1, 1.5, 1.0), (2, 2.5, 2.0), (3, 3.5, 3.0)] {
      parent.arrayCol.append(
        AllTypes(
          value: ["intCol": int, "floatCol": Float(float), "dateCol": Date(timeIntervalSince1970: date)]
            as [String: Any]))
    }
    #expect(parent.arrayCol.min(ofProperty: "intCol") as Int? == 1)
    #expect(parent.arrayCol.max(ofProperty: "floatCol") as Float? == 3.5)
    #expect(parent.arrayCol.min(of: \.dateCol) == Date(timeIntervalSince1970: 1))
    #expect(parent.arrayCol.sum(ofProperty: "intCol") as Int == 6)
    #expect(parent.arrayCol.average(ofProperty: "intCol") as Double? == 2)
    #expect(parent.arrayCol.min(ofProperty: "intCol") as NSNumber? == 1)
    #expect(parent.arrayCol.max(ofProperty: "dateCol") as NSDate? == NSDate(timeIntervalSince1970: 3))
    #expect(parent.arrayCol.value(forKey: "intCol") as? [Int] == [1, 2, 3])
    parent.arrayCol.setValue(9, forKey: "intCol")
    #expect(parent.arrayCol.map(\.intCol) == [9, 9, 9])
    #expect(List<Int>().sum() == 0)
    #expect(List<Int>().min() == nil)
    #expect(List<Int>().average() as Double? == nil)
  }

  @Test func `a loop over a list that changes goes over what there was`() throws {
    let realm = try PortedRealms.open()
    let object = AllTypes()
    object.arrayString.append(objectsIn: ["1", "2"])
    var text = ""
    for element in object.arrayString {
      text += element
      object.arrayString.append(element)
    }
    try realm.write {
      realm.add(object)
      for element in object.arrayString {
        text += element
        object.arrayString.append(element)
      }
    }
    #expect(text == "121212")
    #expect(object.arrayString.count == 8)
  }

  @Test func `ranges of lists are replaced and removed`() throws {
    let realm = try PortedRealms.open()
    func check(_ list: List<Int>) {
      list.append(objectsIn: [0, 1, 2, 3, 4])
      list.replaceSubrange(0..<1, with: [9])
      #expect(Array(list) == [9, 1, 2, 3, 4])
      list.replaceSubrange(1...2, with: [7, 7, 7])
      #expect(Array(list) == [9, 7, 7, 7, 3, 4])
      list.replaceSubrange(0..<0, with: [5])
      #expect(Array(list) == [5, 9, 7, 7, 7, 3, 4])
      list.replaceSubrange(3..., with: [])
      #expect(Array(list) == [5, 9, 7])
      list[0..<2] = [1, 2][...].reduce(into: List<Int>()) { $0.append($1) }[0..<2]
      #expect(Array(list) == [1, 2, 7])
      list.removeSubrange(1..<2)
      #expect(Array(list) == [1, 7])
      list.removeFirst()
      list.removeLast()
      #expect(list.isEmpty)
      list.append(objectsIn: [0, 1, 2, 3, 4, 5])
      list.remove(atOffsets: IndexSet([0, 2, 4]))
      #expect(Array(list) == [1, 3, 5])
      list.move(fromOffsets: IndexSet([0, 1]), toOffset: 3)
      #expect(Array(list) == [5, 1, 3])
      list.move(fromOffsets: IndexSet([1, 2]), toOffset: 0)
      #expect(Array(list) == [1, 3, 5])
      list.swapAt(0, 2)
      #expect(Array(list) == [5, 3, 1])
      #expect(list.first == 5 && list.last == 1)
      #expect(list.objects(at: IndexSet([0, 2])) == [5, 1])
      list.removeAll()
    }
    check(AllTypes().arrayInt)
    let object = AllTypes()
    try realm.write {
      realm.add(object)
      check(object.arrayInt)
    }
  }

  @Test func `unmanaged lists, sets and maps are equal by what they hold`() {
    #expect(strings() == strings())
    let (one, two) = (List<Int>(), List<Int>())
    one.append(1)
    #expect(one != two)
    two.append(1)
    #expect(one == two)
    let (left, right) = (Map<String, Int>(), Map<String, Int>())
    #expect(left == right)
    left["a"] = 1
    #expect(left != right)
    right["a"] = 1
    #expect(left == right)
    let (some, other) = (MutableSet<Int>(), MutableSet<Int>())
    some.insert(objectsIn: [1, 2, 2])
    other.insert(objectsIn: [2, 1])
    #expect(some == other)
    #expect(some.count == 2)
  }

  @Test func `the operators of key paths work on managed collections`() throws {
    let realm = try PortedRealms.open()
    try realm.write {
      for int in [1, 2, 2] {
        realm.create(AllTypes.self, value: ["intCol": int, "objectCol": ["doubleCol": Double(int)]])
      }
    }
    let objects = realm.objects(AllTypes.self).filter("objectCol != nil")
    #expect(objects.value(forKeyPath: "@count") as? Int == 3)
    #expect(objects.value(forKeyPath: "@min.intCol") as? Int == 1)
    #expect(objects.value(forKeyPath: "@max.intCol") as? Int == 2)
    #expect(objects.value(forKeyPath: "@avg.intCol") as? Double == 5.0 / 3)
    #expect(objects.value(forKeyPath: "@sum.objectCol.doubleCol") as? Double == 5)
    #expect((objects.value(forKeyPath: "@unionOfObjects.intCol") as? [Int])?.sorted() == [1, 2, 2])
    #expect((objects.value(forKeyPath: "@distinctUnionOfObjects.intCol") as? [Int])?.sorted() == [1, 2])
    #expect((objects.value(forKeyPath: "objectCol.doubleCol") as? [Double])?.sorted() == [1, 2, 2])
    #expect(objects.value(forKey: "self") as? [AllTypes] == Array(objects))
    try realm.write {
      let object = realm.create(AllTypes.self)
      object.arrayInt.append(objectsIn: [1, 2, 3])
      #expect(object.arrayInt.value(forKeyPath: "@sum.self").first as? Int == 6)
      object.arrayCol.append(objectsIn: objects)
      object.arrayCol.setValue("q", forKey: "stringCol")
      #expect(objects.value(forKey: "stringCol") as? [String] == ["q", "q", "q"])
      #expect(realm.objects(AllTypes.self).value(forKeyPath: "arrayCol") is [List<AllTypes>])
    }
  }

  @Test func `maps are changed, merged, iterated and queried`() throws {
    let realm = try PortedRealms.open()
    func check(_ map: Map<String, Int>) {
      map["b"] = 2
      map["a"] = 1
      #expect(map.count == 2)
      map.updateValue(3, forKey: "c")
      #expect(map.values.sorted() == [1, 2, 3])
      #expect(map.contains { key, value in key == "c" && value == 3 })
      map.merge(["a": 5, "d": 4].map { (key: $0.key, value: $0.value) }) { old, new in old + new }
      #expect(map["a"] == 6 && map["d"] == 4)
      let other = Map<String, Int>()
      other["a"] = 0
      map.merge(other) { _, new in new }
      #expect(map["a"] == 0)
      map.removeObject(for: "nobody")
      map["d"] = nil
      #expect(map["d"] == nil)
      map.setValue(8, forKey: "e")
      #expect(map.value(forKey: "e") as? Int == 8)
      map.setValue(nil, forKey: "e")
      #expect(map.value(forKey: "e") == nil)
      #expect(map.keys.sorted() == ["a", "b", "c"])
      var seen: [String: Int] = [:]
      for (key, value) in map { seen[key] = value }
      #expect(seen == ["a": 0, "b": 2, "c": 3])
      for entry in map.asKeyValueSequence() { #expect(seen[entry.key] == entry.value) }
      #expect(map.sum() == 5)
      #expect(map.min() == 0)
      #expect(map.max() == 3)
      #expect(map.average() as Double? == 5.0 / 3)
      map.removeAll()
      #expect(map.count == 0)
    }
    check(Map<String, Int>())
    let object = AllTypes()
    try realm.write {
      realm.add(object)
      check(object.mapInt)
      object.mapInt["x"] = 2
      object.mapInt["w"] = 7
    }
    #expect(object.mapInt.keys == ["w", "x"])
    #expect(Array(object.mapInt.sorted()) == [2, 7])
    #expect(Array(object.mapInt.sorted(ascending: false)) == [7, 2])
    try realm.write {
      object.mapCol["p"] = AllTypes(value: ["intCol": 1])
      object.mapCol["q"] = AllTypes(value: ["intCol": 2])
      object.mapCol["r"] = .some(nil)
    }
    #expect(object.mapCol.filter("intCol > 1").count == 1)
    #expect(object.mapCol.where { $0.intCol == 1 }.first??.intCol == 1)
    #expect(object.mapCol.sorted(byKeyPath: "intCol", ascending: false).first??.intCol == 2)
    #expect(object.mapCol.sum(ofProperty: "intCol") as Int == 3)
    #expect(object.mapCol.max(of: \.intCol) == 2)
    let link = object.mapCol["p"] ?? nil
    try realm.write { if let link { realm.delete(link) } }
    #expect(object.mapCol["p"] == .some(nil))
    #expect(object.mapCol.keys == ["p", "q", "r"])
  }

  @Test func `sets have the operations of sets, managed and not`() throws {
    let realm = try PortedRealms.open()
    func check(_ one: MutableSet<Int>, _ two: MutableSet<Int>) {
      one.insert(objectsIn: [1, 2, 3])
      two.insert(objectsIn: [2, 3, 4])
      #expect(one.intersects(two))
      #expect(!one.isSubset(of: two))
      one.formIntersection(two)
      #expect(one.sorted() == [2, 3])
      #expect(one.isSubset(of: two))
      one.formUnion(two)
      #expect(one.count == 3)
      one.subtract(two)
      #expect(one.isEmpty)
      two.remove(4)
      #expect(!two.contains(4) && two.contains(2))
      two.removeAll()
    }
    check(MutableSet(), MutableSet())
    try realm.write {
      let (left, right) = (realm.create(AllTypes.self), realm.create(AllTypes.self))
      check(left.setInt, right.setInt)
      left.setAny.insert(objectsIn: [.int(1), .string("a"), .int(1), AnyRealmValue.none])
      #expect(left.setAny.count == 3)
      #expect(left.setAny.contains(.string("a")))
      left.setOptInt.insert(nil)
      #expect(left.setOptInt.contains(nil))
      left.setString.insert(objectsIn: ["b", "a"])
      #expect(Array(left.setString.sorted(ascending: false)) == ["b", "a"])
    }
  }

  @Test func `results are chained, indexed and told apart`() throws {
    let realm = try PortedRealms.open()
    try realm.write {
      for (index, text) in ["b", "a", "c", "a"].enumerated() {
        realm.create(AllTypes.self, value: ["stringCol": text, "intCol": index])
      }
    }
    let all = realm.objects(AllTypes.self)
    #expect(
      all.sorted(byKeyPath: "stringCol").sorted(byKeyPath: "intCol", ascending: false).map(\.intCol) == [
        3, 2, 1, 0,
      ])
    #expect(all.sorted(byKeyPath: "intCol").distinct(by: ["stringCol"]).map(\.intCol) == [0, 1, 2])
    #expect(all.distinct(by: [\.stringCol]).count == 3)
    #expect(
      all.sorted(by: [
        SortDescriptor(keyPath: \AllTypes.stringCol), .init(keyPath: "intCol", ascending: false),
      ]).map(\.intCol)
        == [3, 1, 0, 2])
    let first = try #require(all.first)
    #expect(all.index(of: first) == 0)
    #expect(all.filter("intCol == 3").index(of: first) == nil)
    #expect(AnyRealmCollection(all).count == 4)
    #expect(AnyRealmCollection(all).filter("intCol > 1").count == 2)
    #expect(Array(AnyRealmCollection(all)[1..<3]).count == 2)
    #expect(all == realm.objects(AllTypes.self))
    #expect(all.filter("intCol == 1") != all)
    #expect(all[0..<2].map(\.intCol) == [0, 1])
    #expect(all.reversed().map(\.intCol) == [3, 2, 1, 0])
    #expect(all.lazy.map { $0.intCol }.contains(2))
    #expect(all.filter { $0.intCol > 2 }.count == 1)
    let slice = all.dropFirst(3)
    #expect(slice.count == 1)
  }
}
