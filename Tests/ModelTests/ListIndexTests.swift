import GatehouseModel
import Testing

@Suite struct ListIndexTests {
  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("2", nil), ("-1", 1), ("-2", 0), ("-3", nil), ("01", nil), ("00", nil),
      ("-0", nil), ("+1", nil),
      ("-01", nil), (" 1", nil), ("1 ", nil), ("1.0", nil), ("1e0", nil), ("", nil), ("-", nil),
      ("\u{FF11}", nil), ("0x1", nil),
      ("9223372036854775807", nil), ("-9223372036854775808", nil), ("9223372036854775808", nil),
    ] as [(String, Int?)])
  func `an element has one name from either end`(segment: String, place: Int?) {
    #expect(ListIndex.place(segment, in: 2) == place)
  }
}
