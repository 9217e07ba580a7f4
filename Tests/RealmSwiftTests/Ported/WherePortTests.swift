import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of the closures of `where` (`QueryTests`): the text of each operator, its arguments, and who is found.
struct WherePortTests {
  private let realm: Realm
  private let data = Data("abc".utf8)
  private let date = Date(timeIntervalSince1970: 100)

  init() throws {
    realm = try PortedRealms.open()
    try realm.write {
      let first = realm.create(
        AllTypes.self,
        value: [
          "boolCol": true, "intCol": 3, "int8Col": Int8(3), "doubleCol": 5.5, "floatCol": 5.5 as Float,
          "stringCol": "Foó",
          "binaryCol": data, "dateCol": date, "decimalCol": Decimal128(5), "intEnumCol": 3, "optIntCol": 4,
          "optStringCol": "foo", "anyCol": AnyRealmValue.string("x"), "arrayInt": [1, 3, 5],
          "arrayString": ["a", "b"],
          "arrayOptInt": [nil, 7] as [Int?], "setInt": [1, 2], "setString": ["x"],
          "mapInt": ["a": 1, "b": 4],
          "mapString": ["k": "v"], "arrayEnum": [1, 5],
        ])
      let second = realm.create(
        AllTypes.self, value: ["intCol": 9, "stringCol": "bar", "objectCol": first, "arrayCol": [first]])
      first.objectCol = second
      second.mapCol["a"] = first
    }
  }

  private func check(
    _ text: String, _ arguments: Int = 1, _ count: Int = 1, location: SourceLocation = #_sourceLocation,
    _ condition: (Query<AllTypes>) -> Query<Bool>
  ) {
    let (format, values) = condition(Query<AllTypes>._constructForTesting())._constructPredicate()
    #expect(format == text, sourceLocation: location)
    #expect(values.count == arguments, sourceLocation: location)
    #expect(realm.objects(AllTypes.self).where(condition).count == count, "\(text)", sourceLocation: location)
  }

  @Test func `values are compared`() {
    check("(boolCol == %@)") { $0.boolCol == true }
    check("boolCol == true", 0) { $0.boolCol }
    check("boolCol == false", 0) { !$0.boolCol }
    check("(intCol == %@)") { $0.intCol == 3 }
    check("(intCol != %@)") { $0.intCol != 3 }
    check("(int8Col > %@)") { $0.int8Col > 2 }
    check("(doubleCol >= %@)", 1, 2) { $0.doubleCol >= 5.5 }
    check("(floatCol <= %@)", 1, 2) { $0.floatCol <= 5.5 }
    check("(decimalCol < %@)") { $0.decimalCol < 1 }
    check("(dateCol == %@)") { $0.dateCol == date }
    check("(binaryCol == %@)") { $0.binaryCol == data }
    check("(intEnumCol == %@)") { $0.intEnumCol == .value2 }
    check("(intEnumCol > %@)") { $0.intEnumCol > .value1 }
    check("(intEnumCol > %@)") { $0.intEnumCol.rawValue > 1 }
    check("(stringEnumCol == %@)", 1, 2) { $0.stringEnumCol == .value1 }
    check("(optIntCol == %@)") { $0.optIntCol == nil }
    check("(optIntCol != %@)") { $0.optIntCol != nil }
    check("(optIntCol > %@)") { $0.optIntCol > 3 }
    check("(optIntEnumCol == %@)", 1, 2) { $0.optIntEnumCol == nil }
    check("(anyCol == %@)") { $0.anyCol == .string("x") }
    check("(anyCol == %@)") { $0.anyCol == .none }
    check("(objectCol != %@)", 1, 2) { $0.objectCol != nil }
    check("(intCol < intCol)", 0, 0) { $0.intCol < $0.intCol }
  }

  @Test func `ranges and sequences are asked for`() {
    check("((intCol >= %@) && (intCol < %@))", 2) { $0.intCol.contains(3..<9) }
    check("(intCol BETWEEN {%@, %@})", 2, 2) { $0.intCol.contains(3...9) }
    check("(dateCol BETWEEN {%@, %@})", 2) { $0.dateCol.contains(date...date) }
    check("((optIntCol >= %@) && (optIntCol < %@))", 2) { $0.optIntCol.contains(0..<5) }
    check("(intCol IN %@)") { $0.intCol.in([1, 3]) }
    check("(optIntCol IN %@)") { $0.optIntCol.in([nil, 1]) }
    check("(intEnumCol IN %@)") { $0.intEnumCol.in([.value2, .value3]) }
    check("(NOT intCol IN %@)") { !$0.intCol.in([3]) }
  }

  @Test func `texts and bytes are looked into`() {
    check("(stringCol CONTAINS %@)") { $0.stringCol.contains("o") }
    check("(stringCol CONTAINS[c] %@)") { $0.stringCol.contains("FO", options: .caseInsensitive) }
    check("(stringCol CONTAINS[cd] %@)") {
      $0.stringCol.contains("OO", options: [.caseInsensitive, .diacriticInsensitive])
    }
    check("(stringCol BEGINSWITH %@)") { $0.stringCol.starts(with: "F") }
    check("(stringCol BEGINSWITH[d] %@)") { $0.stringCol.starts(with: "Foo", options: .diacriticInsensitive) }
    check("(stringCol ENDSWITH %@)") { $0.stringCol.ends(with: "ó") }
    check("(stringCol LIKE %@)") { $0.stringCol.like("F*") }
    check("(stringCol LIKE[c] %@)") { $0.stringCol.like("f??", caseInsensitive: true) }
    check("(stringCol ==[cd] %@)") {
      $0.stringCol.equals("foo", options: [.caseInsensitive, .diacriticInsensitive])
    }
    check("(stringCol !=[c] %@)") { $0.stringCol.notEquals("BAR", options: .caseInsensitive) }
    check("(binaryCol CONTAINS %@)") { $0.binaryCol.contains(Data("b".utf8)) }
    check("(binaryCol BEGINSWITH %@)") { $0.binaryCol.starts(with: Data("a".utf8)) }
    check("(optStringCol BEGINSWITH %@)") { $0.optStringCol.starts(with: "f") }
    check("(stringCol > %@)") { $0.stringCol > "a" }
    check("(stringCol CONTAINS optStringCol)", 0, 0) { $0.stringCol.contains($0.optStringCol) }
    check("(stringCol CONTAINS %@)", 1, 0) { $0.stringCol.contains("") }
  }

  @Test func `collections are asked for their elements`() {
    check("(%@ IN arrayInt)") { $0.arrayInt.contains(3) }
    check("(NOT %@ IN arrayInt)") { !$0.arrayInt.contains(3) }
    check("(ANY arrayInt IN %@)") { $0.arrayInt.containsAny(in: [5, 6]) }
    check("(NOT ANY arrayInt IN %@)") { !$0.arrayInt.containsAny(in: [5, 6]) }
    check("((arrayInt.@min >= %@) && (arrayInt.@max <= %@))", 2) { $0.arrayInt.contains(1...5) }
    check("((arrayInt.@min >= %@) && (arrayInt.@max < %@))", 2, 0) { $0.arrayInt.contains(1..<5) }
    check("(ANY arrayInt == %@)") { $0.arrayInt == 3 }
    check("(ANY arrayInt > %@)") { $0.arrayInt > 4 }
    check("(arrayInt.@count == %@)") { $0.arrayInt.count == 3 }
    check("(arrayInt.@avg == %@)") { $0.arrayInt.avg == 3 }
    check("(arrayInt.@sum == %@)") { $0.arrayInt.sum == 9 }
    check("(arrayInt.@min == %@)") { $0.arrayInt.min == 1 }
    check("(arrayInt.@max >= %@)") { $0.arrayInt.max >= 5 }
    check("(%@ IN arrayOptInt)") { $0.arrayOptInt.contains(nil) }
    check("(%@ IN setString)") { $0.setString.contains("x") }
    check("(ANY arrayEnum > %@)") { $0.arrayEnum.rawValue > 3 }
    check("(%@ IN arrayCol)") { $0.arrayCol.contains(realm.objects(AllTypes.self).filter("intCol == 3")[0]) }
    check("(ANY arrayCol.intCol == %@)") { $0.arrayCol.intCol == 3 }
    check("(arrayCol.@sum.intCol == %@)") { $0.arrayCol.intCol.sum == 3 }
    check("(arrayCol.@count == %@)") { $0.arrayCol.count == 1 }
    check("(ANY linkingObjects.intCol == %@)") { $0.linkingObjects.intCol == 9 }
  }

  @Test func `maps are asked for keys and values`() {
    check("(ANY mapInt.@allKeys == %@)") { $0.mapInt.keys == "a" }
    check("(ANY mapInt.@allKeys BEGINSWITH %@)") { $0.mapInt.keys.starts(with: "b") }
    check("(ANY mapInt.@allValues > %@)") { $0.mapInt.values > 3 }
    check("(mapInt[%@] == %@)", 2) { $0.mapInt["a"] == 1 }
    check("(mapInt[%@] > %@)", 2) { $0.mapInt["b"] > 2 }
    check("(mapString[%@] BEGINSWITH %@)", 2) { $0.mapString["k"].starts(with: "v") }
    check("(%@ IN mapInt)") { $0.mapInt.contains(4) }
    check("(ANY mapInt IN %@)") { $0.mapInt.containsAny(in: [4, 5]) }
    check("(mapInt.@count == %@)") { $0.mapInt.count == 2 }
    check("(mapInt.@sum == %@)") { $0.mapInt.sum == 5 }
    check("((mapInt.@min >= %@) && (mapInt.@max <= %@))", 2) { $0.mapInt.contains(1...4) }
    check("(ANY mapCol.@allValues.intCol == %@)") { $0.mapCol.values.intCol == 3 }
  }

  @Test func `conditions are joined, follow links, and count`() {
    check("((intCol == %@) && (boolCol == %@))", 2) { $0.intCol == 3 && $0.boolCol == true }
    check("((intCol == %@) || (intCol == %@))", 2, 2) { $0.intCol == 3 || $0.intCol == 9 }
    check("NOT ((intCol == %@) || (intCol == %@))", 2, 0) { !($0.intCol == 3 || $0.intCol == 9) }
    check("(boolCol == true && (intCol == %@))", 1) { $0.boolCol && $0.intCol == 3 }
    check("(objectCol.intCol == %@)") { $0.objectCol.intCol == 3 }
    check("(objectCol.objectCol.intCol == %@)") { $0.objectCol.objectCol.intCol == 3 }
    check("(%@ IN objectCol.arrayInt)") { $0.objectCol.arrayInt.contains(3) }
    check("(SUBQUERY(arrayCol, $col1, ($col1.intCol > %@)).@count == %@)", 2) {
      ($0.arrayCol.intCol > 1).count == 1
    }
    check(
      "(SUBQUERY(arrayCol, $col1, (($col1.intCol > %@) && ($col1.boolCol == %@))).@count > %@)", 3
    ) { ($0.arrayCol.intCol > 1 && $0.arrayCol.boolCol == true).count > 0 }
  }
}
