import GatehouseBSON
import GatehouseDocuments
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import Testing

struct FilterPlanTests {
  static let type = ObjectType(
    name: "Item",
    properties: [
      Property(name: "key", type: .one(.int, optional: false)),
      Property(name: "n", type: .one(.int, optional: true)),
      Property(name: "x", type: .one(.double, optional: true)),
      Property(name: "s", type: .one(.string, optional: true)),
      Property(name: "b", type: .one(.bool, optional: true)),
      Property(name: "d", type: .one(.date, optional: true)),
      Property(name: "list", type: .list(.int, optional: false)),
    ], primaryKey: "key")

  /// An object, and the document that clients see of it.
  struct Item: ObjectView {
    let values: [Mixed]

    var key: ObjectKey { ObjectKey(1) }
    func value(_ property: Int) -> Mixed { values[property] }
    func elements(_ property: Int) -> [Mixed] { [] }
    func keys(_ property: Int) -> [String] { [] }
    func object(_ link: ObjectLink) -> Item? { nil }
    func linkingObjects(_ objectType: String, _ property: Int) -> [Item] { [] }
    func value(named name: String) -> Mixed? { nil }
    func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? { nil }

    /// Dates are cut to milliseconds.
    var document: Document {
      var document = Document()
      for (property, value) in zip(FilterPlanTests.type.properties, values) {
        var shown = value.value { _ in .null }
        if case .date(let date) = value { shown = .date(Date(milliseconds: date.milliseconds)) }
        document.append(property.name == "key" ? "_id" : property.name, shown)
      }
      return document
    }
  }

  private static func item(_ random: inout SeededGenerator) -> Item {
    func some(_ value: Mixed) -> Mixed { Int.random(in: 0..<5, using: &random) == 0 ? .null : value }
    let doubles = [0.5, 1, 2, -1.5, .nan, .infinity, 1e300]
    return Item(values: [
      .int(Int64.random(in: 0..<4, using: &random)), some(.int(Int64.random(in: -2..<4, using: &random))),
      some(.double(doubles[Int.random(in: 0..<doubles.count, using: &random)])),
      some(.string(["", "a", "ab", "abc", "b", "é"][Int.random(in: 0..<6, using: &random)])),
      some(.bool(Bool.random(using: &random))),
      some(
        .date(
          Date(
            seconds: Int64.random(in: 0..<2, using: &random),
            nanoseconds: [0, 1, 1_000_000, 1_000_001][Int.random(in: 0..<4, using: &random)]))),
      .list([]),
    ])
  }

  private static func constant(_ random: inout SeededGenerator) -> String {
    let constants = [
      "0", "1", "2", "-1", "1.5", "0.5", "1e300", #""a""#, #""ab""#, #""é""#, "null", "true", "false",
      #"{"$date":{"$numberLong":"0"}}"#, #"{"$date":{"$numberLong":"1"}}"#,
      #"{"$date":{"$numberLong":"1000"}}"#, #"{"$numberDecimal":"1"}"#, #"{"$numberDouble":"NaN"}"#,
      #"{"$numberLong":"9007199254740993"}"#, "{}", "[1]", #"{"$minKey":1}"#,
    ]
    return constants[Int.random(in: 0..<constants.count, using: &random)]
  }

  private static func filter(_ random: inout SeededGenerator, depth: Int = 2) -> String {
    let field = ["_id", "n", "x", "s", "b", "d", "list", "none"][Int.random(in: 0..<8, using: &random)]
    func one() -> String { constant(&random) }
    switch Int.random(in: 0..<(depth > 0 ? 14 : 10), using: &random) {
    case 0: return #"{"\#(field)":\#(one())}"#
    case 1: return #"{"\#(field)":{"$ne":\#(one())}}"#
    case 2: return #"{"\#(field)":{"$lt":\#(one())}}"#
    case 3: return #"{"\#(field)":{"$lte":\#(one())}}"#
    case 4: return #"{"\#(field)":{"$gt":\#(one())}}"#
    case 5: return #"{"\#(field)":{"$gte":\#(one())}}"#
    case 6: return #"{"\#(field)":{"$in":[\#(one()),\#(one())]}}"#
    case 7: return #"{"\#(field)":{"$nin":[\#(one()),\#(one())]}}"#
    case 8:
      return
        #"{"s":{"$regex":"\#(["^a", "^ab$", "b", "^a?", "^é", "^a|b"][Int.random(in: 0..<6, using: &random)])"}}"#
    case 9: return #"{"\#(field)":{"$exists":true}}"#
    case 10: return #"{"$and":[\#(filter(&random, depth: depth - 1)),\#(filter(&random, depth: depth - 1))]}"#
    case 11: return #"{"$or":[\#(filter(&random, depth: depth - 1)),\#(filter(&random, depth: depth - 1))]}"#
    case 12: return #"{"$nor":[\#(filter(&random, depth: depth - 1))]}"#
    default: return #"{"\#(field)":{"$not":{"$gt":\#(one())}}}"#
    }
  }

  @Test
  func `a predicate holds for every object that the filter matches, and where it is exact for no other`()
    throws
  {
    var random = SeededGenerator(seed: 25)
    var (exact, useful) = (0, 0)
    for _ in 0..<3_000 {
      let text = Self.filter(&random)
      let filter = try Filter(document(text))
      let plan = FilterPlan(filter, for: Self.type)
      if plan.isExact { exact += 1 }
      if plan.predicate != .always { useful += 1 }
      for _ in 0..<12 {
        let item = Self.item(&random)
        let isMatch = try filter.matches(item.document, in: Scope(now: now))
        let isHeld = plan.predicate.matches(item)
        #expect(plan.isExact ? isHeld == isMatch : isHeld || !isMatch, "\(text) on \(item.document)")
      }
    }
    #expect(exact > 1_000 && useful > 1_500, "\(exact) \(useful)")
  }

  @Test func `an equality of the primary key is one of the predicate`() throws {
    let plan = try FilterPlan(Filter(document(#"{"_id":3,"list":1}"#)), for: Self.type)
    #expect(plan.predicate.requiredEquality(in: Self.type)?.value == .int(3))
    #expect(!plan.isExact)
  }

  @Test(
    arguments: [
      (#"{"_id":3}"#, .int(3)), (#"{"_id":{"$eq":3}}"#, .int(3)), (#"{"$and":[{"_id":3.0}]}"#, .int(3)),
      (#"{"_id":3,"n":1}"#, nil), (#"{"_id":{"$gt":3}}"#, nil), (#"{"_id":{"$in":[3]}}"#, nil),
      (#"{"_id":null}"#, nil), (#"{"_id":"a"}"#, nil), (#"{"n":3}"#, nil), ("{}", nil),
    ] as [(String, Mixed?)])
  func `a filter for one identifier says which`(filter: String, identifier: Mixed?) throws {
    #expect(FilterPlan(try Filter(document(filter)), for: Self.type).identifier == identifier)
  }
}
