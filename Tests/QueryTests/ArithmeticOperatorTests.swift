import GatehouseBSON
import GatehouseModel
import Testing

@testable import GatehouseQuery

@Suite struct ArithmeticOperatorTests {
  private static func decimal(_ text: String) -> Mixed { .decimal128(Decimal128(text) ?? .nan) }

  @Test(
    arguments: [
      (.int(7), .divide, .int(2), .int(3)), (.int(-7), .divide, .int(2), .int(-3)),
      (.int(5), .divide, .int(0), .int(.max)), (.int(-5), .divide, .int(0), .int(.min)),
      (.int(1), .add, .float(0.5), .float(1.5)), (.float(0.5), .subtract, .int(1), .float(-0.5)),
      (.int(1), .add, .double(0.5), .double(1.5)), (.float(1), .multiply, .double(0.5), .double(0.5)),
      (.double(1), .divide, .int(0), .double(.infinity)),
      (.int(2), .multiply, decimal("1.5"), decimal("3.0")),
      (decimal("1"), .subtract, .float(0.5), decimal("0.5")),
      (.int(.min), .subtract, .int(1), decimal("-9223372036854775809")),
      (.int(.max), .multiply, .int(2), decimal("18446744073709551614")),
    ] as [(Mixed, ArithmeticOperator, Mixed, Mixed)])
  func `operands take the larger of their types, and what is no int any more is a decimal`(
    left: Mixed, operation: ArithmeticOperator, right: Mixed, result: Mixed
  ) {
    #expect(operation.result(left, right) == result)
  }

  @Test(
    arguments: [
      (.null, .int(1)), (.int(1), .null), (.string("1"), .int(1)), (.decimal128(.nan), .bool(true)),
      (.list([.int(1)]), .double(1)),
    ] as [(Mixed, Mixed)])
  func `what is no number gives null`(left: Mixed, right: Mixed) {
    for operation in [ArithmeticOperator.add, .subtract, .multiply, .divide] {
      #expect(operation.result(left, right) == .null)
    }
  }
}
