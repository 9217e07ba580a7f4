import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import Testing

/// Arithmetic, as filters do it with constants.
@Suite struct ValueTests {
  private func folded(_ expression: String) throws -> Mixed {
    let plan = try Library.plan("extra == \(expression)")
    guard case .comparison(let comparison) = plan.predicate,
      case .constant(.value(let value)) = comparison.right
    else { return .null }
    return value
  }

  @Test(
    arguments: [
      ("7 / 2", .int(3)),
      ("-7 / 2", .int(-3)),
      ("7 / 0", .int(.max)),
      ("-7 / 0", .int(.min)),
      ("9223372036854775807 + 1", .decimal128(Decimal128("9223372036854775808") ?? .nan)),
      ("-9223372036854775808 / -1", .decimal128(Decimal128("9223372036854775808") ?? .nan)),
      ("2 * 3 + 4 * 5", .int(26)),
      ("2 * (3 + 4) * 5", .int(70)),
      ("10 + 10.3", .double(20.3)),
      ("1.5f * 2", .float(3)),
      ("1 + null", .null),
      ("1.0 / 0", .double(.infinity)),
    ] as [(String, Mixed)])
  func `constants are folded`(expression: String, expected: Mixed) throws {
    #expect(try folded(expression) == expected)
  }

  @Test(arguments: [
    ("1", "3", "4", "0.3333333333333333333333333333333333", "3"),
    ("0.1", "0.2", "0.3", "0.5", "0.02"),
    ("-5", "2", "-3", "-2.5", "-10"),
    (
      "9999999999999999999999999999999999", "1", "1.000000000000000000000000000000000E+34",
      "9999999999999999999999999999999999", "9999999999999999999999999999999999"
    ),
    ("1E+50", "1", "1.000000000000000000000000000000000E+50", "1E+50", "1E+50"),
  ])
  func `decimals are computed to 34 digits`(
    left: String, right: String, sum: String, quotient: String, product: String
  ) throws {
    let arguments = [left, right].map { Decimal128($0).map { Value.decimal128($0) } ?? .null }
    let plan = { (operation: String) in
      try Library.plan("price == $0 \(operation) $1", arguments).predicate.text(in: Library.schema)
    }
    #expect(try plan("+") == "price == \(sum)")
    #expect(try plan("/") == "price == \(quotient)")
    #expect(try plan("*") == "price == \(product)")
  }
}
