import FoundationEssentials
import GatehouseBSON
import Testing

@testable import GatehouseDocuments

/// Names of time zones. The offsets are those of Python's `zoneinfo`.
@Suite(
  .enabled(
    if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"), "tzdata is not installed"
  ))
struct TimeZoneTests {
  @Test(arguments: [
    ("Europe/Berlin", 1_700_000_000, 3_600), ("Europe/Berlin", 1_690_000_000, 7_200),
    ("America/New_York", 1_690_000_000, -14_400), ("Australia/Lord_Howe", 1_690_000_000, 37_800),
    ("Asia/Kolkata", 0, 19_800), ("America/Caracas", 1_400_000_000, -16_200),
    // Beyond the table, by its rule.
    ("Europe/Berlin", 4_119_724_800, 7_200), ("Africa/Casablanca", 1_700_000_000, 3_600),
    ("America/New_York", -2_000_000_000, -18_000),
  ])
  func `a zone has its offset at a time`(name: String, time: Int64, offset: Int) throws {
    #expect(try #require(ZoneTable.named(name)).offset(at: time) == offset)
  }

  @Test(arguments: [
    // In a gap the time before it goes on; of two, the first is meant.
    ("2024-03-31T02:30:00", "Europe/Berlin", "2024-03-31T01:30:00Z"),
    ("2024-10-27T02:30:00", "Europe/Berlin", "2024-10-27T00:30:00Z"),
    ("2024-07-01T12:00:00", "America/New_York", "2024-07-01T16:00:00Z"),
  ])
  func `what clocks show is a time`(local: String, name: String, time: String) throws {
    let expression = #"{"$dateFromString":{"dateString":"\#(local)","timezone":"\#(name)"}}"#
    try expectSame(
      try Expression(value(expression)).value(in: Scope(now: now)), #"{"$date":"\#(time)"}"#, expression)
  }

  private static let summer = #"{"$date":"2024-07-01T12:30:45Z"}"#

  @Test(arguments: [
    (#"{"$hour":{"date":\#(summer),"timezone":"Europe/Berlin"}}"#, "14"),
    (
      #"{"$dateToString":{"date":\#(summer),"timezone":"America/New_York","format":"%Y-%m-%d %H:%M %z"}}"#,
      #""2024-07-01 08:30 -0400""#
    ),
    (
      #"{"$dateFromParts":{"year":2024,"month":1,"day":1,"timezone":"Asia/Tokyo"}}"#,
      #"{"$date":"2023-12-31T15:00:00Z"}"#
    ),
    // A day later clocks show the same, 24 hours later they do not.
    (
      #"{"$dateAdd":{"startDate":{"$date":"2024-03-30T11:00:00Z"},"unit":"day","amount":1,"timezone":"Europe/Berlin"}}"#,
      #"{"$date":"2024-03-31T10:00:00Z"}"#
    ),
    (
      #"{"$dateAdd":{"startDate":{"$date":"2024-03-30T11:00:00Z"},"unit":"hour","amount":24,"timezone":"Europe/Berlin"}}"#,
      #"{"$date":"2024-03-31T11:00:00Z"}"#
    ),
    (
      #"{"$dateTrunc":{"date":\#(summer),"unit":"day","timezone":"Europe/Berlin"}}"#,
      #"{"$date":"2024-06-30T22:00:00Z"}"#
    ),
    (
      #"{"$dateTrunc":{"date":\#(summer),"unit":"hour","timezone":"Asia/Kolkata"}}"#,
      #"{"$date":"2024-07-01T12:30:00Z"}"#
    ),
    (
      #"{"$dateDiff":{"startDate":{"$date":"2024-06-30T21:00:00Z"},"endDate":{"$date":"2024-06-30T23:00:00Z"},"unit":"day","timezone":"Europe/Berlin"}}"#,
      "1"
    ),
  ])
  func `dates are taken apart in a zone of the system's table`(expression: String, result: String) throws {
    try expectSame(try Expression(value(expression)).value(in: Scope(now: now)), result, expression)
  }

  @Test(arguments: [
    "Europe/Nowhere", "../../etc/passwd", "/etc/localtime", "Europe", "", "zone.tab", "Europe/Berlin\\u0000",
  ])
  func `a name that is none is refused`(name: String) throws {
    let expression = #"{"$hour":{"date":\#(Self.summer),"timezone":"\#(name)"}}"#
    let found = error { _ = try Expression(value(expression)).value(in: Scope(now: now)) }
    #expect(found?.code == .location(40485), "\(name)")
  }

  @Test func `files that are damaged are none`() throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
    #expect(ZoneTable(bytes) != nil)
    for count in stride(from: 0, to: bytes.count, by: 7) { _ = ZoneTable(Array(bytes[..<count])) }
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] = 0xFF
      _ = ZoneTable(damaged)?.offset(at: 1_700_000_000)
    }
  }

  @Test(arguments: [
    ("UTC0", 0), ("<+0330>-3:30", 12_600), ("EST5EDT,M3.2.0,M11.1.0", -18_000),
    ("AAA3BBB,J60/0,J300", -10_800),
    ("AAA3BBB4,59,300/25", -10_800),
  ])
  func `a rule says the offset of winter`(text: String, offset: Int) throws {
    // 2023-01-15.
    #expect(try #require(ZoneRule(text)).offset(at: 1_673_784_000) == offset)
  }

  @Test(arguments: [
    "", "A", "CET", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,X,Y", "CET-1x",
  ])
  func `a text that is no rule is none`(text: String) {
    #expect(ZoneRule(text) == nil)
  }
}
