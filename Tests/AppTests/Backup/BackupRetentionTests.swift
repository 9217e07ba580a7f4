import GatehouseBSON
import Testing

@testable import GatehouseApp

struct BackupRetentionTests {
  private static let now = Date("2026-11-25T12:00:00Z") ?? .now

  /// A backup of so many hours ago.
  private func name(_ hours: Int64) -> BackupName {
    BackupName(time: Date(seconds: Self.now.seconds - hours * 3600), version: 1)
  }

  @Test func `a number keeps the newest`() throws {
    let retention = try #require(BackupRetention("2"))
    #expect(retention.surplus(of: [name(1), name(3), name(2)], now: Self.now) == [name(3)])
    #expect(retention.surplus(of: [name(1)], now: Self.now) == [])
    #expect(retention.surplus(of: [], now: Self.now) == [])
  }

  @Test func `a time keeps what one needs to go back so far`() throws {
    let retention = try #require(BackupRetention("2h"))
    // The one of three hours ago is the state of two hours ago.
    let names = [name(0), name(1), name(3), name(4), name(5)]
    #expect(retention.surplus(of: names, now: Self.now) == [name(5), name(4)])
    #expect(retention.surplus(of: [name(9)], now: Self.now) == [])
  }

  @Test(arguments: ["0", "-1", "", "7w", "d", "7.5d", "0d", "36501d", "9223372036854775807d"])
  func `anything else is neither`(text: String) {
    #expect(BackupRetention(text) == nil)
  }

  @Test(arguments: ["2026-11-25T14:45:38.123Z", "2026-11-25T14:45:38Z"])
  func `a backup has the name of its time`(text: String) throws {
    let name = BackupName(time: try #require(Date(text)), version: 42)
    #expect(name.text == "\(text.replacing(":", with: "-"))-42.json")
    #expect(BackupName(name.text) == name)
    #expect(name.description == "\(text), version 42")
  }

  @Test(arguments: [
    "", ".json", "2026-11-25T14-45-38Z.json", "2026-11-25T14-45-38Z-x.json", "2026-11-25T14-45-38Z-042.json",
    "2026-11-25T14-45-38Z-42.json.partial", "2026-11-25T14:45:38Z-42.json",
  ])
  func `other names are no backups`(text: String) {
    #expect(BackupName(text) == nil)
  }
}
