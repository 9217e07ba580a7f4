import GatehouseBSON
import GatehouseSeeded
import Glibc
import Testing

@Test(
  arguments: [
    (0, 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00"),
    (-1, 0, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59"),
    (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999"),
    (0, 1, "1970-01-01T00:00:00.000000001Z", "1970-01-01T00:00:00.000000001"),
    (1_356_351_330, 501_000_000, "2012-12-24T12:15:30.501Z", "2012-12-24T12:15:30.501"),
    (951_782_400, 100_000_000, "2000-02-29T00:00:00.1Z", "2000-02-29T00:00:00.1"),
    (-62_167_219_200, 0, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00"),
    (253_402_300_799, 999_000_000, "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999"),
    (253_402_300_800, 0, "+010000-01-01T00:00:00Z", "T0000000253402300800"),
    (-62_167_219_201, 500_000_000, "-000001-12-31T23:59:59.5Z", "-9223371974687556607.5"),
    (.max, 999_999_999, "+292277026596-12-04T15:30:07.999999999Z", "T9223372036854775807.999999999"),
    (.min, 0, "-292277022657-01-27T08:29:52Z", "-0000000000000000000"),
  ] as [(Int64, Int32, String, String)])
func `a date has a text for people and one that sorts`(
  seconds: Int64, nanoseconds: Int32, text: String, storedText: String
) {
  let date = Date(seconds: seconds, nanoseconds: nanoseconds)
  #expect(date.description == text)
  #expect(Date(text) == date)
  #expect(date.storedText == storedText)
  #expect(Array(storedText.utf8).withUnsafeBufferPointer { Date(storedText: $0) } == date)
}

@Test(arguments: [
  ("2024-01-02T03:04:05+01:30", "2024-01-02T01:34:05Z"), ("2024-01-02t03:04:05z", "2024-01-02T03:04:05Z"),
  ("2024-01-01T00:30:00.250-23:59", "2024-01-02T00:29:00.25Z"),
  ("+002024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"),
])
func `a date is read in any zone`(text: String, utc: String) {
  #expect(Date(text)?.description == utc)
}

@Test(arguments: [
  "", "2024", "2024-01-02", "2024-01-02T03:04:05", "2024-01-02 03:04:05Z", "2024-1-2T03:04:05Z",
  "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
  "2024-04-31T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-02T24:00:00Z", "2024-01-02T03:60:00Z",
  "2016-12-31T23:59:60Z", "2024-01-02T03:04:05.Z", "2024-01-02T03:04:05.1234567890Z",
  "2024-01-02T03:04:05+0130", "2024-01-02T03:04:05+24:00", "2024-01-02T03:04:05Z ", "24-01-02T03:04:05Z",
  "+2024-01-02T03:04:05Z", "+999999999999-01-02T03:04:05Z", "-292277022657-01-27T08:29:51Z",
  "+292277026596-12-04T15:30:08Z", "2024-01-02T03:04:05é",
])
func `another text is no date`(text: String) {
  #expect(Date(text) == nil)
}

@Test(arguments: [
  "", "2024-01-02T03:04:05Z", "T253402300800", "T9999999999999999999", "-9999999999999999999",
  "T0000000253402300800.", "T00000002534023008000",
])
func `another text is no stored date`(text: String) {
  #expect(Array(text.utf8).withUnsafeBufferPointer { Date(storedText: $0) } == nil)
}

@Test(
  arguments: [
    (0, 0, 0), (1, 0, 1_000_000), (-1, -1, 999_000_000), (-1000, -1, 0), (1999, 1, 999_000_000),
    (.max, 9_223_372_036_854_775, 807_000_000), (.min, -9_223_372_036_854_776, 192_000_000),
  ] as [(Int64, Int64, Int32)])
func `milliseconds are counted as BSON does`(milliseconds: Int64, seconds: Int64, nanoseconds: Int32) {
  let date = Date(milliseconds: milliseconds)
  #expect(date == Date(seconds: seconds, nanoseconds: nanoseconds))
  #expect(date.milliseconds == milliseconds)
}

@Test func `milliseconds are rounded towards the past and stop at the ends`() {
  #expect(Date(seconds: -1, nanoseconds: 999_999_999).milliseconds == -1)
  #expect(Date(seconds: 0, nanoseconds: 999_999).milliseconds == 0)
  #expect(Date(seconds: 9_223_372_036_854_775, nanoseconds: 808_000_000).milliseconds == .max)
  #expect(Date(seconds: -9_223_372_036_854_776, nanoseconds: 191_999_999).milliseconds == .min)
}

@Test func `stored texts sort as dates do, and the C library names the same days`() throws {
  var random = SeededGenerator(seed: 7)
  let dates = (0..<2000).map { _ in
    Date(
      seconds: Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random),
      nanoseconds: Int32.random(in: 0..<1_000_000_000, using: &random)
        / [1, 1000, 1_000_000, 999_999_999][Int.random(in: 0..<4, using: &random)])
  }
  let byText = dates.sorted { $0.storedText.utf8.lexicographicallyPrecedes($1.storedText.utf8) }
  #expect(byText == dates.sorted())
  for date in dates {
    #expect(Date(date.description) == date)
    var (time, fields) = (time_t(date.seconds), tm())
    // The C library has no room for years beyond 32 bits.
    guard gmtime_r(&time, &fields) != nil else { continue }
    let day =
      "-" + [fields.tm_mon + 1, fields.tm_mday].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    #expect(date.description.contains("\(day)T"))
    #expect(date.description.contains("\((Int(fields.tm_year) + 1900).magnitude)" + day))
  }
}
