import GatehouseModel
import Testing

@testable import GatehouseQuery

@Suite struct RelationTests {
  @Test(
    arguments: [
      (.int(1), .equal(caseSensitive: true), .double(1), true),
      (.int(1), .equal(caseSensitive: true), .string("1"), false),
      (.int(1), .notEqual(caseSensitive: true), .null, true),
      (.int(1), .less, .double(1.5), true), (.int(1), .greaterOrEqual, .int(1), true),
      (.null, .less, .int(1), false), (.null, .greaterOrEqual, .int(1), false),
      (.null, .lessOrEqual, .null, true), (.string("a"), .less, .int(1), false),
      (.string("a"), .less, .string("b"), true), (.bool(false), .less, .bool(true), true),
      (.string("\u{e9}"), .equal(caseSensitive: true), .string("e\u{301}"), false),
      (.string("É"), .equal(caseSensitive: false), .string("é"), true),
      (.string("É"), .notEqual(caseSensitive: false), .string("é"), false),
      (.int(1), .equal(caseSensitive: false), .double(1), true),
      (.string("abc"), .beginsWith(caseSensitive: true), .string("ab"), true),
      (.string("Abc"), .beginsWith(caseSensitive: true), .string("ab"), false),
      (.data([1, 2]), .endsWith(caseSensitive: true), .data([2]), true),
      (.data([65]), .contains(caseSensitive: true), .string("A"), false),
      (.string("abc"), .contains(caseSensitive: true), .null, true),
      (.null, .contains(caseSensitive: true), .null, false),
      (.null, .like(caseSensitive: true), .null, true),
      (.string("abc"), .like(caseSensitive: true), .string("a?c"), true),
      (.string("aBc"), .like(caseSensitive: false), .string("*bC"), true),
    ] as [(Mixed, Comparison.Relation, Mixed, Bool)])
  func `two values relate, or they do not`(
    left: Mixed, relation: Comparison.Relation, right: Mixed, holds: Bool
  ) {
    #expect(relation.holds(left, right, nan: .lowest) == holds)
  }

  @Test(
    arguments: [
      (.equal(caseSensitive: true), .double(.nan), true, false),
      (.notEqual(caseSensitive: true), .double(.nan), false, true),
      (.lessOrEqual, .double(.nan), true, false), (.less, .double(1), true, false),
      (.greater, .double(1), false, false), (.less, .int(.min), true, false),
    ] as [(Comparison.Relation, Mixed, Bool, Bool)])
  func `NaN is below all numbers, or has no place among them`(
    relation: Comparison.Relation, right: Mixed, isLowest: Bool, isUnordered: Bool
  ) {
    #expect(relation.holds(.double(.nan), right, nan: .lowest) == isLowest)
    #expect(relation.holds(.double(.nan), right, nan: .unordered) == isUnordered)
  }
}
