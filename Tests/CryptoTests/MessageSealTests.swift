import GatehouseCrypto
import Testing

/// Messages that only who has the key opens.
struct MessageSealTests {
  private static let seal = MessageSeal(key: [UInt8](repeating: 0, count: MessageSeal.keySize))

  /// Test case 14 of "The Galois/Counter Mode of Operation" (McGrew, Viega).
  @Test func `a message that others sealed is opened`() {
    let tag: [UInt8] = [
      0xd0, 0xd1, 0xc8, 0xa7, 0x99, 0x99, 0x6b, 0xf0, 0x26, 0x5b, 0x98, 0xb5, 0xd4, 0x8a, 0xb9, 0x19,
    ]
    let text: [UInt8] = [
      0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60, 0x6b, 0x6e, 0x07, 0x4e, 0xc5, 0xd3, 0xba, 0xf3, 0x9d, 0x18,
    ]
    let nonce = [UInt8](repeating: 0, count: 12)
    #expect(Self.seal?.open(nonce + tag + text) == [UInt8](repeating: 0, count: 16))
  }

  @Test(arguments: [0, 1, 15, 16, 17, 1000])
  func `a sealed message is opened by the same key, whole`(size: Int) throws {
    let seal = try #require(Self.seal)
    let message = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let sealed = seal.seal(message)
    #expect(seal.open(sealed) == message)
    #expect(seal.seal(message) != sealed)
    let other = MessageSeal(key: [UInt8](repeating: 1, count: MessageSeal.keySize))
    #expect(other?.open(sealed) == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(seal.open(changed) == nil)
      #expect(seal.open(Array(sealed[..<index])) == nil)
    }
  }

  @Test func `a key of another size is none`() {
    #expect(MessageSeal(key: []) == nil)
    #expect(MessageSeal(key: [UInt8](repeating: 0, count: 31)) == nil)
  }
}
