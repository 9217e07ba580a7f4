import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

/// Keys that are in files from before they were refused.
@Suite struct IllegalKeyTests {
  @Test func `stored keys with zero bytes are found, and read in every representation`() async throws {
    let store = try await TemporaryStore(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"int","map":"int{}","any":"mixed"}}]"#)
    try await store.create("A", #"{"id":1,"map":{"axb":1,"c":2},"any":{"k":[{"dxe":1}]}}"#)
    try await store.close()
    #expect(try store.violations() == [])
    try Raw.execute(
      """
      UPDATE "A.map" SET key = 'a' || char(0) || 'b' WHERE key = 'axb';
      UPDATE A SET any = x'0b0e010000006b0a0b0e030000006400650c0100000000000000ffffff';
      """, on: store.database)
    #expect(
      try store.violations() == [
        .illegalKeys(place: "A.map", count: 1), .illegalKeys(place: "A.any", count: 1),
      ])
    try await store.reopen()
    #expect(
      try store.object("A", .int(1)) == #"{"id":1,"map":{"a\u0000b":1,"c":2},"any":{"k":[{"d\u0000e":1}]}}"#)
    var bytes: [UInt8] = []
    _ = try store.reading.object("A", id: .int(1), projection: nil, as: .bson, into: &bytes)
    let document = try Document(bson: bytes)
    #expect(document["map"] == .document(["a\u{FFFD}b": .int64(1), "c": .int64(2)]))
    #expect(document["any"] == .document(["k": .array([.document(["d\u{FFFD}e": .int64(1)])])]))
  }
}
