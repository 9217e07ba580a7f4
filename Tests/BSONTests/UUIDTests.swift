import GatehouseBSON
import Testing

@Test func `a UUID is five groups of hexadecimal digits`() {
  let uuid = UUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
  #expect(uuid.description == "00112233-4455-6677-8899-aabbccddeeff")
  #expect(UUID("00112233-4455-6677-8899-aabbccddeeff") == uuid)
  #expect(UUID("00112233-4455-6677-8899-AABBCCDDEEFF") == uuid)
}

@Test(arguments: [
  "", "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeef",
  "00112233-4455-6677-8899-aabbccddeefff", "0011223-34455-6677-8899-aabbccddeeff",
  "00112233-4455-6677-8899-aabbccddeefg", "{0112233-4455-6677-8899-aabbccddeef}",
])
func `another text is no UUID`(text: String) {
  #expect(UUID(text) == nil)
}

@Test func `made UUIDs bear version and variant`() {
  let random = (0..<100).map { _ in UUID.random() }
  #expect(Set(random).count == 100)
  #expect(random.allSatisfy { $0.high >> 12 & 0xF == 4 && $0.low >> 62 == 2 })
}
