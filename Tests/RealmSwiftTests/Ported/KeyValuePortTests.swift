import Foundation
import RealmSwift
import Testing

/// Values at the end of paths of names, as key-value coding has them, through links, collections and operators.
@MainActor struct KeyValuePortTests {
  private func family(in realm: Realm) throws -> AllTypes {
    let child =
      ["intCol": 2, "arrayInt": [3, 4], "dateCol": Date(timeIntervalSince1970: 9)] as [String: Any]
    return try realm.write {
      realm.create(
        AllTypes.self,
        value: [
          "intCol": 1, "objectCol": child, "arrayCol": [child, child], "mapCol": ["a": child],
          "mapInt": ["k": 5],
        ] as [String: Any])
    }
  }

  @Test func `paths go through links and collections`() throws {
    let object = try family(in: try PortedRealms.open())
    #expect(object.value(forKeyPath: "objectCol.intCol") as? Int == 2)
    #expect(object.value(forKeyPath: "objectCol.objectCol.intCol") == nil)
    #expect(object.value(forKeyPath: "objectCol.arrayInt.@sum.self") as? Int == 7)
    #expect(object.value(forKeyPath: "arrayCol.intCol") as? [Int] == [2, 2])
    #expect(object.value(forKeyPath: "arrayCol.@count") as? Int == 2)
    #expect(object.value(forKeyPath: "mapInt.k") as? Int == 5)
    #expect(object.value(forKeyPath: "mapCol.a.intCol") as? Int == 2)
  }

  @Test func `operators are of numbers, dates and lists of lists`() throws {
    let realm = try PortedRealms.open()
    let object = try family(in: realm)
    let all = realm.objects(AllTypes.self)
    #expect(all.value(forKeyPath: "@avg.intCol") as? Double == 1.8)
    #expect(all.value(forKeyPath: "@max.decimalCol") as? Decimal128 == 0)
    #expect(
      object.arrayCol.value(forKeyPath: "@min.dateCol").first as? Date == Date(timeIntervalSince1970: 9))
    #expect(object.arrayCol.value(forKeyPath: "@unionOfArrays.arrayInt") as? [Int] == [3, 4, 3, 4])
    #expect(object.arrayCol.value(forKeyPath: "@distinctUnionOfArrays.arrayInt") as? [Int] == [3, 4])
    #expect(object.arrayCol.value(forKeyPath: "@distinctUnionOfObjects.intCol") as? [Int] == [2])
    #expect(object.mapInt.value(forKeyPath: "@sum.self") as? Int == 5)
  }

  @Test func `objects of a predicate are compared with null, and asked for collections behind links`() throws
  {
    let realm = try PortedRealms.open()
    _ = try family(in: realm)
    let all = realm.objects(AllTypes.self)
    #expect(all.filter("objectCol == %@", NSNull()).count == 4)
    #expect(all.filter("dateCol == %@", NSDate(timeIntervalSince1970: 9)).count == 4)
    #expect(
      all.filter("intCol == %@ AND stringCol == %@", NSNumber(value: 1), NSString(string: "")).count == 1)
    #expect(all.where { $0.objectCol.arrayInt == 4 }.map(\.intCol) == [1])
    #expect(all.where { $0.objectCol.mapInt.keys == "k" }.isEmpty)
    let (text, _) = Query<AllTypes>._constructForTesting().objectCol.arrayInt.contains(4)
      ._constructPredicate()
    #expect(text == "(%@ IN objectCol.arrayInt)")
  }
}
