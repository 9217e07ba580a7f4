import GatehouseBSON
import GatehouseTestSupport
import Testing

@testable import GatehouseApp

/// Archives of `mongodump --archive`, as mongo-tools' `common/archive` describes it.
struct DumpArchiveTests {
  private static let bytes = hexadecimal(SampleArchive.hexadecimal)

  private static func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.map { UInt8($0.hexDigitValue ?? 0) }
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
