import Foundation
import RealmSwift
import Testing

/// The questions of Realm's tests of collections of values of each type (`PrimitiveListTests`, `PrimitiveMutableSetTests`,
/// `PrimitiveMapTests`), of types that are stored as others, and of their optionals.
@MainActor struct ElementPortTests {
  class Collections: Object {
    @Persisted var floats: List<Float?>
    @Persisted var floatSet: MutableSet<Float?>
    @Persisted var floatMap: Map<String, Float?>
    @Persisted var enums: List<IntEnum>
    @Persisted var enumSet: MutableSet<IntEnum>
    @Persisted var enumMap: Map<String, IntEnum>
    @Persisted var dates: List<DateWrapper?>
    @Persisted var dateSet: MutableSet<DateWrapper?>
    @Persisted var dateMap: Map<String, DateWrapper?>
    @Persisted var decimals: List<DecimalWrapper>
    @Persisted var decimalSet: MutableSet<DecimalWrapper>
    @Persisted var decimalMap: Map<String, DecimalWrapper>
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted var mixedSet: MutableSet<AnyRealmValue>
    @Persisted var mixedMap: Map<String, AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// Asks collections of an object in no Realm, and of one in a Realm.
  private func each(_ body: (Collections) -> Void) throws {
    body(Collections())
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Collections.self]))
    try realm.write { body(realm.create(Collections.self)) }
  }

  private func fill<Value: RealmCollectionValue>(
    _ list: List<Value>, _ set: MutableSet<Value>, _ map: Map<String, Value>, _ values: [Value]
  ) {
    list.append(objectsIn: values)
    set.insert(objectsIn: values)
    for (index, value) in values.enumerated() { map["\(index)"] = value }
  }

  private func checkEnds<Value: RealmCollectionValue>(
    _ list: List<Value>, _ set: MutableSet<Value>, _ map: Map<String, Value>, _ values: [Value],
    from least: Value, to most: Value
  ) where Value.PersistedType: MinMaxType {
    fill(list, set, map, values)
    #expect([list.min(), set.min(), map.min()] == [least, least, least])
    #expect([list.max(), set.max(), map.max()] == [most, most, most])
  }

  @Test func `the least and the greatest are found of enums, types of one's own, and optionals`() throws {
    let (first, second) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
    try each { object in
      checkEnds(
        object.enums, object.enumSet, object.enumMap, [.value2, .value1, .value3], from: .value1, to: .value3)
      checkEnds(
        object.dates, object.dateSet, object.dateMap,
        [nil, DateWrapper(persistedValue: second), DateWrapper(persistedValue: first)],
        from: DateWrapper(persistedValue: first), to: DateWrapper(persistedValue: second))
    }
  }

  @Test func `sums and averages are in the type that is asked for`() throws {
    try each { object in
      // The sum of nothing is no nil.
      #expect([object.floats.sum(), object.floatSet.sum(), object.floatMap.sum()] == [0, 0, 0])
      #expect(object.floats.average() as Double? == nil)
      fill(object.floats, object.floatSet, object.floatMap, [nil, 1.5, 3])
      #expect([object.floats.sum(), object.floatSet.sum(), object.floatMap.sum()] == [4.5, 4.5, 4.5])
      #expect(object.floatMap.average() as Double? == 2.25)
      let decimals = [1, 2].map { DecimalWrapper(persistedValue: $0) }
      fill(object.decimals, object.decimalSet, object.decimalMap, decimals)
      #expect(object.decimals.sum() == DecimalWrapper(persistedValue: 3))
      #expect(object.decimalSet.average() as Double? == 1.5)
      #expect(object.decimalMap.average() as Decimal128? == 1.5)
      fill(
        object.mixed, object.mixedSet, object.mixedMap, [.int(1), .decimal128(2), .double(0.5), .string("9")])
      #expect([object.mixed.sum(), object.mixedSet.sum()] == [.decimal128(3.5), .decimal128(3.5)])
      #expect(object.mixedMap.sum() == .decimal128(3.5))
    }
  }

  @Test func `sums and averages of mixed values in a Realm are decimals`() throws {
    let realm = try PortedRealms.open()
    let object = try realm.write { realm.create(AllTypes.self, value: ["arrayAny": [1, 2], "anyCol": 5]) }
    #expect(object.arrayAny.sum() == .decimal128(3))
    #expect(object.arrayAny.average() as AnyRealmValue? == .decimal128(1.5))
    #expect(object.arrayAny.average() as Double? == 1.5)
    #expect(object.arrayAny.max() == .int(2))
    #expect(realm.objects(AllTypes.self).sum(ofProperty: "anyCol") as Int == 5)
  }

  @Test func `all elements are set by their key`() throws {
    try each { object in
      object.enums.append(objectsIn: [.value1, .value2])
      object.enums.setValue(IntEnum.value3, forKey: "self")
      #expect(Array(object.enums) == [.value3, .value3])
      object.mixedSet.insert(objectsIn: [.int(1), .string("a")])
      object.mixedSet.setValue(7, forKey: "self")
      #expect(Array(object.mixedSet) == [.int(7)])
    }
  }
}
