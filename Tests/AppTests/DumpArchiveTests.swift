import GatehouseBSON
import GatehouseTestSupport
import Testing

@testable import GatehouseApp

/// Archives of `mongodump --archive`, as mongo-tools' `common/archive` describes it.
struct DumpArchiveTests {
  /// Two collections, `shop.orders` in two parts and `shop.people`, laid out by Python's `struct`.
  private static let bytes = hexadecimal(
    """
    6de299816400000010636f6e63757272656e745f636f6c6c656374696f6e7300040000000276657273696f6e00040000
    00302e3100027365727665725f76657273696f6e0006000000372e302e310002746f6f6c5f76657273696f6e00060000
    003130302e39000065000000026462000500000073686f700002636f6c6c656374696f6e00070000006f726465727300
    026d65746164617461000f0000007b226f7074696f6e73223a7b7d7d001073697a6500000000000274797065000b0000
    00636f6c6c656374696f6e000065000000026462000500000073686f700002636f6c6c656374696f6e00070000007065
    6f706c6500026d65746164617461000f0000007b226f7074696f6e73223a7b7d7d001073697a65000000000002747970
    65000b000000636f6c6c656374696f6e0000ffffffff3c000000026462000500000073686f700002636f6c6c65637469
    6f6e00070000006f72646572730008454f46000012435243000000000000000000002e000000105f6964000200000002
    6f776e657200020000007900076275796572005f000000000000000000002100ffffffff3c0000000264620005000000
    73686f700002636f6c6c656374696f6e000700000070656f706c650008454f4600001243524300000000000000000000
    0e000000105f6964000900000000ffffffff3c000000026462000500000073686f700002636f6c6c656374696f6e0007
    0000006f72646572730008454f46000012435243000000000000000000001b000000105f69640003000000026f776e65
    7200020000007a0000ffffffff3c000000026462000500000073686f700002636f6c6c656374696f6e00070000007065
    6f706c650008454f4600011243524300000000000000000000ffffffff3c000000026462000500000073686f70000263
    6f6c6c656374696f6e00070000006f72646572730008454f4600011243524300000000000000000000ffffffff
    """)

  private static func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func documents(
    _ collection: String, of bytes: [UInt8], by count: Int
  ) throws(DumpArchive.Failure) -> [UInt8] {
    var archive = DumpArchive(collection: collection)
    var (documents, place): ([UInt8], Int) = ([], 0)
    while place < bytes.count {
      documents += try archive.documents(in: bytes[place..<min(bytes.count, place + count)])
      place += count
    }
    try archive.finish()
    return documents
  }

  @Test(arguments: [1, 7, 1_000])
  func `the documents of one collection are picked, in whatever pieces the bytes come`(count: Int) throws {
    let orders = try Self.documents("shop.orders", of: Self.bytes, by: count)
    let first: Document = [
      "_id": .int32(2), "owner": .string("y"),
      "buyer": .objectID(try #require(ObjectID("5f0000000000000000000021"))),
    ]
    #expect(try orders == first.bson() + (["_id": .int32(3), "owner": .string("z")] as Document).bson())
    #expect(
      try Self.documents("people", of: Self.bytes, by: count) == (["_id": .int32(9)] as Document).bson())
  }

  @Test func `a collection that is not there is told with those that are`() {
    #expect(throws: DumpArchive.Failure.noCollection("cats", known: ["shop.orders", "shop.people"])) {
      try Self.documents("cats", of: Self.bytes, by: 100)
    }
    #expect(
      CommandError.archive(path: "a", .noCollection("cats", known: ["shop.orders"])).text
        == "a has no collection 'cats'; there is shop.orders")
  }

  @Test func `an archive that is cut anywhere is refused`() {
    for count in 1..<Self.bytes.count {
      let error = #expect(throws: DumpArchive.Failure.self) {
        try Self.documents("shop.orders", of: Array(Self.bytes[..<count]), by: 64)
      }
      // Behind a part, nothing tells that another one was to come.
      if case .noCollection? = error { continue }
      #expect(error == (count < 4 ? .notAnArchive : .cut), "\(count)")
    }
  }

  @Test func `other bytes are no archive`() {
    #expect(throws: DumpArchive.Failure.notAnArchive) { try Self.documents("a", of: [], by: 1) }
    #expect(throws: DumpArchive.Failure.notAnArchive) { try Self.documents("a", of: [5, 0, 0, 0, 0], by: 9) }
    #expect(throws: DumpArchive.Failure.malformed(offset: 4)) {
      try Self.documents("a", of: Array(Self.bytes[..<4]) + [1, 0, 0, 0], by: 9)
    }
    #expect(throws: DumpArchive.Failure.malformed(offset: 4)) {
      try Self.documents("a", of: Array(Self.bytes[..<4]) + [0, 0, 0, 0x7f], by: 9)
    }
  }
}
