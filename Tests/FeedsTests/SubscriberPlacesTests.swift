import GatehouseSharing
import Testing

@testable import GatehouseFeeds

@Suite struct SubscriberPlacesTests {
  @Test func `stores that have places together leave each other some`() {
    let pool = SubscriberPlaces.Pool(capacity: 4)
    let admissions = (1...2).map { number in
      var options = FeedOptions()
      options.places = SubscriberPlaces(
        in: pool, for: Caller(address: UInt64(number), principal: "app \(number)"))
      return SubscriberAdmission(options, nil)
    }
    #expect(admissions[0].admit(1) && admissions[0].admit(2))
    // As many as are free.
    #expect(!admissions[0].admit(3))
    #expect(admissions[1].admit(1))
    #expect(!admissions[1].admit(1))
    admissions[0].release(1)
    #expect(admissions[1].admit(1))
    for client in [1, 1] { admissions[1].release(UInt64(client)) }
    admissions[0].release(2)
    #expect(admissions[0].admit(1) && admissions[0].admit(2))
  }
}
