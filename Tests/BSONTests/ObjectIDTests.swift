import GatehouseBSON
import Testing

@Test func `an object id is 24 hexadecimal digits`() {
  let id = ObjectID(high: 0x507F_1F77_BCF8_6CD7, low: 0x9943_9011)
  #expect(id.description == "507f1f77bcf86cd799439011")
  #expect(ObjectID("507f1f77bcf86cd799439011") == id)
  #expect(ObjectID("507F1F77BCF86CD799439011") == id)
}

@Test(arguments: [
  "", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g",
  "507f1f77bcf86cd79943 011", "507f1f77bcf86cd7994390é", "0x7f1f77bcf86cd799439011",
])
func `another text is no object id`(text: String) {
  #expect(ObjectID(text) == nil)
}

@Test func `generated object ids hold the time, are unlike each other and ascend`() {
  let before = UInt64(Date.now.seconds)
  let ids = (0..<1000).map { _ in ObjectID.generate() }
  let after = UInt64(Date.now.seconds)
  #expect(Set(ids).count == ids.count)
  #expect(ids.allSatisfy { before...after ~= $0.high >> 32 })
  #expect(Set(ids.map { $0.high & 0xFFFF_FFFF }).count == 1)
  #expect(Set(ids.map { $0.low >> 24 }).count == 1)
  let counters = ids.map { $0.low & 0xFF_FFFF }
  #expect(zip(counters, counters.dropFirst()).allSatisfy { ($0 + 1) & 0xFF_FFFF <= $1 || $1 < $0 })
}
