import Testing

@testable import GatehouseBSON

struct HexadecimalTests {
  @Test(
    arguments: [([], ""), ([0], "00"), ([0x0F, 0xF0, 0xAB], "0ff0ab"), ([255, 1], "ff01")]
      as [([UInt8], String)])
  func `bytes are written as two lower-case digits each, and read back`(bytes: [UInt8], text: String) {
    #expect(Hexadecimal.text(of: bytes) == text)
    #expect(Hexadecimal.bytes(of: text[...]) == bytes)
  }

  @Test(arguments: ["0", "abc", "AB", "aB", "0g", "g0", " 0", "0x", "é0", "00 "])
  func `other digits than the written ones are refused`(text: String) {
    #expect(Hexadecimal.bytes(of: text[...]) == nil)
  }

  @Test func `a digit is in lower case unless upper case is asked for`() {
    #expect((0..<16).map { Hexadecimal.digit($0) } == Array("0123456789abcdef".utf8))
    #expect((0..<16).map { Hexadecimal.digit($0, isUpperCase: true) } == Array("0123456789ABCDEF".utf8))
  }
}
