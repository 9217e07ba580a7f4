import GatehouseSeeded
import Testing

@testable import GatehouseHTTP

@Test func `digits are those that the standard library writes`() {
  var generator = SeededGenerator(seed: 7)
  let edges: [UInt64] = [0, 9, 10, 15, 16, 255, 256, 0x9a9a_9a9a_9a9a_9a9a, .max]
  for number in edges
    + (0..<1_000).map({ UInt64.random(in: 0 ... .max >> UInt64($0 % 64), using: &generator) })
  {
    let size = Int(number >> 1)
    var output = OutputBuffer(capacity: 16)
    output.putHexadecimal(number)
    output.append(" ")
    output.appendSize(size)
    output.append(" ")
    output.append(size)
    let hexadecimal = String(number, radix: 16)
    let padding = String(repeating: "0", count: 16 - hexadecimal.count)
    #expect(
      String(decoding: output.bytes, as: UTF8.self)
        == "\(padding)\(hexadecimal) \(String(size, radix: 16)) \(size)")
  }
}
