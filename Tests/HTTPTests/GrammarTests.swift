import GatehouseSeeded
import Testing

@testable import GatehouseHTTP

// Code that looks at eight bytes at a time must see the same as code that looks at each.

/// Calls `body` with 20 letters of which one, and perhaps the one before it, is another byte.
private func forEachPlacement(_ body: (UnsafeRawBufferPointer, _ byte: UInt8, _ place: Int) -> Void) {
  for byte in UInt8.min ... .max {
    for place in 0..<20 {
      for before in [0x61, byte ^ 1, byte ^ 0x80] {
        var bytes = [UInt8](repeating: 0x61, count: 20)
        bytes[place] = byte
        if place > 0 { bytes[place - 1] = before }
        bytes.withUnsafeBytes { body($0, byte, place) }
      }
    }
  }
}

@Test func `a byte is found where it first is`() {
  forEachPlacement { bytes, byte, place in
    for start in [0, 1, 9, 20] {
      let found = bytes.index(of: byte, from: start)
      if found != (bytes[start...].firstIndex(of: byte) ?? 20) { Issue.record("\(byte) at \(place)") }
    }
  }
}

@Test func `a query ends where the first byte is that none may hold`() {
  forEachPlacement { bytes, byte, place in
    let end = bytes.firstIndex { $0 <= 0x20 || $0 >= 0x7f || $0 == UInt8(ascii: "#") } ?? 20
    if bytes.queryEnd(from: 0) != end { Issue.record("\(byte) at \(place)") }
  }
}

@Test func `a field value holds no control byte`() {
  forEachPlacement { bytes, byte, place in
    let end = bytes.firstIndex { $0 < 0x20 && $0 != 9 || $0 == 0x7f }
    if bytes.firstControlByte(from: 0) != end { Issue.record("\(byte) at \(place)") }
  }
}

@Test func `what is found valid can be decoded, and nothing else`() {
  var random = SeededGenerator(seed: 5)
  var counts = [true: 0, false: 0]
  for _ in 0..<20_000 {
    let pieces = ["a", "/", "+", "%41", "%41", "%C3%A9", "%C3%A9", "%c3", "%A9", "%00", "%4", "%"]
    let count = Int.random(in: 0...6, using: &random)
    let text = (0..<count).map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }.joined()
    Array(text.utf8).withUnsafeBytes { bytes in
      let isValid = PercentEncoding.isValid(bytes)
      counts[isValid, default: 0] += 1
      #expect(isValid == ((try? PercentEncoding.decode(bytes)) != nil), "\(text)")
    }
  }
  #expect(counts.values.allSatisfy { $0 > 1_000 })
}
