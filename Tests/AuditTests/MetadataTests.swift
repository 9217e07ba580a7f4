import Testing

@testable import GatehouseAudit

@Suite struct MetadataTests {
  @Test func `pairs are in the bytewise order of their keys`() throws {
    let metadata = try Metadata([("b", "1"), ("a", "2"), ("B", "3")])
    #expect(metadata.keys == ["B", "a", "b"])
    #expect(metadata.pairs.map(\.value) == ["3", "2", "1"])
  }

  @Test(
    arguments: [
      ("", .length), (String(repeating: "k", count: 64), .length), ("custom", .reserved),
      ("activity", .reserved), ("a.b", .name), ("twice", .duplicate),
    ] as [(String, AuditError.KeyRule)])
  func `a key that cannot be a property of events is refused`(key: String, rule: AuditError.KeyRule) {
    #expect(throws: AuditError.invalidMetadataKey(key, rule)) {
      try Metadata([("twice", "1"), (key, "2")])
    }
  }

  @Test func `what is stored may have the mark of clients' own events`() throws {
    let stored = try Metadata(stored: [("custom", "true"), ("caller", "me")])
    #expect(stored == Metadata.ofCustomEvent(by: "me"))
  }

  @Test func `added pairs take the place of those with the same key`() throws {
    let metadata = try Metadata([("a", "1"), ("b", "2")]).adding(Metadata([("b", "3"), ("c", "4")]))
    #expect(try metadata == Metadata([("a", "1"), ("b", "3"), ("c", "4")]))
    #expect(try Metadata([("a", "1")]).adding(.none) == Metadata([("a", "1")]))
  }
}
