import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

@Suite struct AccumulatorTests {
  private static func decimal(_ text: String) -> Mixed { .decimal128(Decimal128(text) ?? .nan) }

  @Test(
    arguments: [
      (.sum, .int, [.int(1), .null, .int(2)], .int(3)),
      (.average, .int, [.int(1), .null, .int(2)], .double(1.5)),
      (.minimum, .int, [.int(2), .null, .int(1)], .int(1)),
      (.maximum, .int, [.int(2), .null, .int(1)], .int(2)),
      (.sum, .float, [.float(0.5), .float(.nan), .float(1)], .double(1.5)),
      (.minimum, .double, [.double(.nan), .double(1)], .double(1)),
      (.sum, .decimal128, [decimal("0.1"), decimal("0.2")], decimal("0.3")),
      (.minimum, .mixed, [.string("a"), .int(2), .null], .int(2)),
      (.maximum, .mixed, [.string("a"), .int(2), .null], .string("a")),
      (.average, .mixed, [.int(1), .string("x"), .int(2)], decimal("1.5")),
    ] as [(AggregateFunction, ElementType, [Mixed], Mixed)])
  func `nulls, NaN and what is no number are left out`(
    function: AggregateFunction, type: ElementType, values: [Mixed], result: Mixed
  ) {
    #expect(function.value(of: values, type: type) == result)
  }

  @Test(
    arguments: [
      (.sum, .int, .int(0)), (.sum, .float, .double(0)), (.average, .int, .null), (.minimum, .double, .null),
      (.maximum, .mixed, .null),
    ] as [(AggregateFunction, ElementType, Mixed)])
  func `of no values the sum is 0, and there is nothing else`(
    function: AggregateFunction, type: ElementType, result: Mixed
  ) {
    #expect(function.value(of: [], type: type) == result)
    #expect(function.value(of: [.null], type: type) == result)
  }

  @Test func `a sum of ints is a decimal only where it is no int in the end`() {
    let sum = { AggregateFunction.sum.value(of: $0, type: .int) }
    #expect(sum([.int(.max), .int(1)]) == Self.decimal("9223372036854775808"))
    #expect(sum([.int(.max), .int(1), .int(-1)]) == .int(.max))
  }
}
