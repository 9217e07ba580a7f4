import Foundation
import GatehouseBSON
import GatehouseSeeded
import Testing

@testable import RealmSwift

@Suite struct StoredValueTests {
  @Test func `values go into the store and come back`() {
    for value in AnyBSONTests.all {
      // Nil inside of arrays and documents is null.
      #expect(AnyBSON(AnyBSON(value.stored).stored) == AnyBSON(value.stored), "\(value)")
    }
    #expect(AnyBSON(AnyBSONTests.all[0].stored) == AnyBSONTests.all[0])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `dates and UUIDs go into the store and come back`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let date = FoundationDate(
        timeIntervalSinceReferenceDate: Double.random(in: -4e9...4e9, using: &generator))
      let far = abs(date.timeIntervalSinceReferenceDate) > 0x1p24
      #expect(abs(FoundationDate(date.stored).timeIntervalSince(date)) <= (far ? 0 : 1e-9))
      let id = FoundationUUID()
      #expect(FoundationUUID(id.stored) == id && id.stored.description == id.uuidString.lowercased())
    }
  }

  @Test func `dates out of range are the last and the first`() {
    #expect(FoundationDate(timeIntervalSinceReferenceDate: .infinity).stored.seconds == .max)
    #expect(FoundationDate(timeIntervalSinceReferenceDate: -.infinity).stored.seconds == .min)
    #expect(FoundationDate(timeIntervalSinceReferenceDate: .nan).stored.seconds == 0)
    #expect(FoundationDate(timeIntervalSince1970: -0.25).stored.description == "1969-12-31T23:59:59.75Z")
    #expect(
      FoundationDate(FoundationDate.distantPast.stored) == .distantPast
        && FoundationDate(FoundationDate.distantFuture.stored) == .distantFuture)
  }
}
