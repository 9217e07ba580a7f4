import GatehouseQuery
import GatehouseSeeded
import Testing

/// Matches a pattern by the lengths of text that each of its prefixes can match.
private func isLike(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
  var reached = [true] + [Bool](repeating: false, count: text.count)
  for byte in pattern {
    var next = [Bool](repeating: false, count: text.count + 1)
    var any = false
    for length in reached.indices {
      any = any || reached[length]
      if byte == UInt8(ascii: "*") {
        next[length] = any
      } else if length > 0, byte == UInt8(ascii: "?") || byte == text[length - 1] {
        next[length] = reached[length - 1]
      }
    }
    reached = next
  }
  return reached[text.count]
}

private func random(_ alphabet: [UInt8], _ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
  (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
}

@Test func `short and long patterns mean the same`() {
  var generator = SeededGenerator(seed: 11)
  print("seed 11")
  var matches = 0
  for round in 0..<400 {
    let text = random(
      Array("aab".utf8), Int.random(in: 0...(round % 2 == 0 ? 12 : 3_000), using: &generator), &generator)
    var pattern: [UInt8] = []
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let start = Int.random(in: 0...text.count, using: &generator)
      let end = min(text.count, start + Int.random(in: 0...(round % 3 == 0 ? 60 : 3), using: &generator))
      pattern += text[start..<end]
      if Bool.random(using: &generator) { pattern += random(Array("**?ab".utf8), 1, &generator) }
    }
    if Bool.random(using: &generator) { pattern = Array("*".utf8) + pattern + Array("*".utf8) }
    let expected = isLike(text, pattern)
    matches += expected ? 1 : 0
    #expect(TextMatch.isLike(text, pattern) == expected, "\(String(decoding: pattern, as: UTF8.self))")
  }
  #expect((50...350).contains(matches))
}

@Test func `a part is found wherever it is`() {
  var generator = SeededGenerator(seed: 12)
  print("seed 12")
  for _ in 0..<400 {
    let text = random(Array("ab".utf8), Int.random(in: 0...300, using: &generator), &generator)
    let part = random(Array("ab".utf8), Int.random(in: 0...80, using: &generator), &generator)
    let start = Int.random(in: 0...text.count, using: &generator)
    let inside = Array(text[start..<min(text.count, start + Int.random(in: 0...120, using: &generator))])
    for part in [part, inside, inside + [0x61]] {
      let expected =
        part.count <= text.count
        && (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
      #expect(TextMatch.contains(text, part) == expected)
    }
  }
}

@Test func `what a stop interrupts does not match`() {
  let text = [UInt8](repeating: 0x61, count: 100_000)
  let pattern = Array("*?".utf8) + [UInt8](repeating: 0x61, count: 1_000) + Array("b".utf8)
  var questions = 0
  let isLike = TextMatch.isLike(text, pattern) {
    questions += 1
    return true
  }
  #expect((isLike, questions) == (false, 1))
}
