import GatehouseBSON
import Testing

// From the BSON decimal128 specification's tests, `decimal128-1.json` and others.
@Test(
  arguments: [
    ("0", 0x3040_0000_0000_0000, 0, "0"), ("-0", 0xB040_0000_0000_0000, 0, "-0"),
    ("0.1", 0x303E_0000_0000_0000, 1, "0.1"), ("+1.50", 0x303C_0000_0000_0000, 150, "1.50"),
    (
      "0.1234567890123456789012345678901234", 0x2FFC_3CDE_6FFF_9732, 0xDE82_5CD0_7E96_AFF2,
      "0.1234567890123456789012345678901234"
    ),
    ("1E+6111", 0x5FFE_0000_0000_0000, 1, "1E+6111"),
    ("1e6144", 0x5FFE_314D_C644_8D93, 0x38C1_5B0A_0000_0000, "1.000000000000000000000000000000000E+6144"),
    ("1E-6176", 0, 1, "1E-6176"), ("100E-6177", 0, 10, "1.0E-6175"),
    (
      "9.999999999999999999999999999999999E+6144", 0x5FFF_ED09_BEAD_87C0, 0x378D_8E63_FFFF_FFFF,
      "9.999999999999999999999999999999999E+6144"
    ),
    ("0E+9999", 0x5FFE_0000_0000_0000, 0, "0E+6111"), ("0E-9999", 0, 0, "0E-6176"),
    ("Infinity", 0x7800_0000_0000_0000, 0, "Infinity"), ("-inf", 0xF800_0000_0000_0000, 0, "-Infinity"),
    ("nAN", 0x7C00_0000_0000_0000, 0, "NaN"), (".5", 0x303E_0000_0000_0000, 5, "0.5"),
    ("5.", 0x3040_0000_0000_0000, 5, "5"),
    ("0.000001", 0x3034_0000_0000_0000, 1, "0.000001"), ("0.0000001", 0x3032_0000_0000_0000, 1, "1E-7"),
    (
      "10000000000000000000000000000000000000", 0x3048_314D_C644_8D93, 0x38C1_5B0A_0000_0000,
      "1.000000000000000000000000000000000E+37"
    ),
  ] as [(String, UInt64, UInt64, String)])
func `a text has its bits and a canonical text`(text: String, high: UInt64, low: UInt64, canonical: String) {
  #expect(Decimal128(text) == Decimal128(high: high, low: low))
  #expect(Decimal128(high: high, low: low).description == canonical)
}

@Test(arguments: [
  ("", Decimal128Error.malformed), (".", .malformed), ("e5", .malformed), ("1e", .malformed),
  ("1 ", .malformed),
  ("1.2.3", .malformed), ("--1", .malformed), ("infinit", .malformed), ("0x1", .malformed), ("١", .malformed),
  ("1234567890123456789012345678901234.5", .inexact), ("12345678901234567890123456789012345", .inexact),
  ("1E+6145", .outOfRange), ("1E-6177", .outOfRange), ("1E+99999999999999999999", .outOfRange),
  ("12E-6177", .outOfRange), ("1E-99999999999999999999", .outOfRange),
])
func `a text that cannot be kept is refused`(text: String, error: Decimal128Error) {
  let bytes = Array(text.utf8)
  #expect(throws: error) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Decimal128Error) in try Decimal128(parsing: bytes) }
  }
  #expect(Decimal128(text) == nil)
}

@Test func `more digits than there are stand for zero`() {
  #expect(Decimal128(high: 0x6C10_0000_0000_0000, low: 0).description == "0")
  #expect(Decimal128(high: 0x3041_ED09_BEAD_87C0, low: 0x378D_8E64_0000_0000).description == "0")
}

@Test func `values order as Realm's do`() {
  let ascending = [
    ["NaN"], ["-Infinity"], ["-1E+6144"], ["-2"], ["-1", "-1.0", "-1.000000000000000000000000000000000"],
    ["-1E-6176"], ["0", "-0", "0E+6111", "0E-6176"], ["1E-6176"], ["0.9999999999999999999999999999999999"],
    ["1", "1.00"], ["9", "9.0"], ["10", "1E+1"], ["1E+6144"], ["Infinity"],
  ]
  for (left, leftTexts) in ascending.enumerated() {
    for (right, rightTexts) in ascending.enumerated() {
      for (leftText, rightText) in leftTexts.flatMap({ left in rightTexts.map { (left, $0) } }) {
        let order = Decimal128.compare(Decimal128(leftText) ?? .nan, Decimal128(rightText) ?? .nan)
        #expect(order.signum() == (left - right).signum(), "\(leftText) and \(rightText)")
      }
    }
  }
}

@Test(
  arguments: [
    ("0", "0", 0), ("9223372036854775807", "9223372036854775807", .max),
    ("-9223372036854775808", "-9223372036854775808", .min),
    ("9223372036854775808", nil, nil), ("1.5", nil, nil), ("1.00", nil, 1), ("1E+3", nil, 1000),
    ("NaN", nil, nil),
    ("Infinity", nil, nil), ("1E+19", nil, nil), ("-0", nil, 0), ("1E-6176", nil, nil), ("0E+6111", nil, 0),
  ] as [(String, String?, Int64?)])
func `an integer converts exactly or not at all`(text: String, ofInteger: String?, integer: Int64?) {
  #expect(Int64(exactly: Decimal128(text) ?? .nan) == integer)
  if let integer, let ofInteger { #expect(Decimal128(integer).description == ofInteger) }
}

@Test(
  arguments: [
    (0.1, "0.1", "0.1", 0.1), (100, "100", "100", 100), (1e22, "1E+22", "1E+22", 1e22),
    (-0.0, "-0", "-0", -0.0),
    (0.1 + 0.2, "0.30000000000000004", "0.3", 0.30000000000000004),
    (.infinity, "Infinity", "Infinity", .infinity),
    (1 / 3.0, "0.3333333333333333", "0.333333333333333", 1 / 3.0),
    (2 / 3.0, "0.6666666666666666", "0.666666666666667", 2 / 3.0),
  ] as [(Double, String, String, Double)])
func `a double converts by its shortest digits or rounded`(
  double: Double, shortest: String, rounded: String, back: Double
) {
  #expect(Decimal128(double).description == shortest)
  #expect(Decimal128(rounding: double).description == rounded)
  #expect(Decimal128(double).double.bitPattern == back.bitPattern)
}

@Test func `a float is rounded to seven digits`() {
  #expect(Decimal128(rounding: Float(0.1)).description == "0.1")
  #expect(Decimal128(rounding: Float(16_777_217)).description == "1.677722E+7")
  #expect(Decimal128(.nan).description == "NaN")
}

@Test(arguments: [
  ("1", "+", "2.50", "3.50"), ("1E+33", "+", "0.6", "1000000000000000000000000000000001"),
  ("1E+34", "-", "1E-6000", "1.000000000000000000000000000000000E+34"), ("5", "-", "5.0", "0.0"),
  ("1.20", "*", "3", "3.60"), ("1E+4000", "*", "1E+4000", "Infinity"),
  ("1", "/", "3", "0.3333333333333333333333333333333333"),
  ("2.40", "/", "2", "1.20"), ("1", "/", "0", "Infinity"), ("0", "/", "0", "NaN"),
  ("Infinity", "-", "Infinity", "NaN"),
  ("-1", "/", "Infinity", "-0E-6176"),
  ("9999999999999999999999999999999999", "+", "0.5", "1.000000000000000000000000000000000E+34"),
])
func `arithmetic rounds to 34 digits`(left: String, sign: String, right: String, result: String) {
  let (left, right) = (Decimal128(left) ?? .nan, Decimal128(right) ?? .nan)
  let value =
    switch sign {
    case "+": left + right
    case "-": left - right
    case "*": left * right
    default: left / right
    }
  #expect(value.description == result)
}
