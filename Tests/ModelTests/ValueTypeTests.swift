import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct ValueTypeTests {
  /// One value of each type.
  private static let values: [Mixed] = [
    .null, .bool(true), .int(1), .float(1), .double(1), .decimal128(Decimal128(1 as Int64)), .string("1"),
    .data([1]),
    .date(Date(seconds: 1, nanoseconds: 0)), .objectID(ObjectID(high: 0, low: 1)),
    .uuid(UUID(high: 0, low: 1)),
    .link(ObjectLink(objectType: "A", key: ObjectKey(1))), .list([.int(1)]),
    .dictionary([Mixed.Entry(key: "a", value: .int(1))]),
  ]

  @Test func `the types stand in the order of their ranks, under realm-js' names`() {
    #expect(
      ValueType.allCases.map(\.name) == [
        "null", "bool", "int", "float", "double", "decimal128", "string", "data", "date", "objectId", "uuid",
        "object", "list", "dictionary",
      ])
    #expect(
      ValueType.allCases.map(\.rank) == [
        .null, .bool, .numeric, .numeric, .numeric, .numeric, .string, .data, .date, .objectID, .uuid, .link,
        .list, .dictionary,
      ])
  }

  @Test func `each value has a type, and its rank is the type's`() {
    #expect(Self.values.map(\.type) == ValueType.allCases)
    #expect(Self.values.map(\.rank) == ValueType.allCases.map(\.rank))
  }

  @Test func `a property holds values of its type only, unless it is mixed`() {
    let types: [ElementType?] = [
      nil, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .object("A"),
      nil, nil,
    ]
    #expect(Self.values.map(\.elementType) == types)
    for (value, type) in zip(Self.values, types) where type != nil { #expect(type?.valueType == value.type) }
    #expect(ElementType.mixed.valueType == nil)
  }

  @Test func `a value equals itself, and none of another type`() {
    for (index, value) in Self.values.enumerated() {
      #expect(Self.values.indices.filter { Self.values[$0] == value } == [index])
    }
  }

  @Test(arguments: [
    (Mixed.bool(true), Mixed.bool(false)), (.int(1), .int(2)), (.float(0), .float(-0.0)),
    (.double(0), .double(-0.0)), (.string("\u{e9}"), .string("e\u{301}")), (.data([1]), .data([2])),
    (
      .link(ObjectLink(objectType: "A", key: ObjectKey(1))),
      .link(ObjectLink(objectType: "A", key: ObjectKey(2)))
    ),
    (.list([.null]), .list([])),
    (
      .dictionary([Mixed.Entry(key: "\u{e9}", value: .null)]),
      .dictionary([Mixed.Entry(key: "e\u{301}", value: .null)])
    ),
  ])
  func `values of one type differ by their bits`(value: Mixed, other: Mixed) {
    #expect(value == value)
    #expect(value != other)
  }

  @Test(arguments: [Mixed.float(.nan), .double(.nan)])
  func `NaN equals itself, so that a plan with it is found again`(value: Mixed) {
    #expect(value == value)
  }
}
