import GatehouseSeeded
import Testing

@testable import GatehouseCluster

struct EntryTests {
  private static let author = EntryAuthor(node: "n1", epoch: 3)
  private static let previous = EntryHash(hashing: [1, 2, 3])

  @Test func `an entry has the bytes of its table`() throws {
    let entry = Entry(
      rows: [0xAA, 0xBB], part: .init(1, isLast: true), versions: 8..<10, by: EntryTests.author,
      after: EntryTests.previous)
    let (bytes, hash) = entry.encoded()
    let head: [UInt8] = [
      1, 1, 1, 2, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0,
      0,
    ]
    let content = head + EntryTests.previous.bytes + Array("n1".utf8) + [0xAA, 0xBB]
    #expect(bytes == content + hash.bytes)
    #expect(hash == EntryHash(hashing: content))
    let decoded = try Entry.decode(bytes)
    #expect(decoded.entry == entry)
    #expect(decoded.hash == hash)
  }

  @Test func `an entry that makes no version stands on one`() throws {
    let entry = Entry(.renewal, by: EntryTests.author, on: 7, after: .none)
    #expect(entry.versions == 8..<8)
    #expect(try Entry.decode(entry.encoded().bytes).entry == entry)
  }

  @Test func `the largest rows fit with the longest name`() throws {
    let name = String(repeating: "x", count: Entry.nameLimit)
    let entry = Entry(
      rows: [UInt8](repeating: 7, count: Entry.rowLimit), part: .whole, versions: 1..<2,
      by: EntryAuthor(node: name, epoch: 1), after: .none)
    let bytes = entry.encoded().bytes
    #expect(bytes.count == Entry.sizeLimit)
    #expect(try Entry.decode(bytes).entry == entry)
    #expect(throws: EntryError.tooLong(Entry.sizeLimit + 1)) { try Entry.decode(bytes + [0]) }
  }

  @Test func `a bit that is not what it was is damage, or an entry of another release`() throws {
    let bytes = Entry(
      rows: Array("rows".utf8), part: .whole, versions: 1..<3, by: EntryTests.author,
      after: EntryTests.previous
    ).encoded().bytes
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        let error = #expect(throws: EntryError.self) { try Entry.decode(damaged) }
        #expect(error == (index == 0 ? .unknownFormat(damaged[0]) : .damaged))
      }
    }
    for count in bytes.indices {
      let error = #expect(throws: EntryError.self) { try Entry.decode(Array(bytes[..<count])) }
      #expect(error == (count <= 96 ? .tooShort(count) : .damaged))
    }
  }

  /// Bytes with a hash that is right, as a later release or an enemy would send them.
  private func sealed(_ change: (inout [UInt8]) -> Void, _ entry: Entry? = nil) -> [UInt8] {
    let entry =
      entry
      ?? Entry(
        rows: [1], part: .whole, versions: 1..<2, by: EntryTests.author, after: EntryTests.previous)
    var bytes = Array(entry.encoded().bytes.dropLast(EntryHash.size))
    change(&bytes)
    return bytes + EntryHash(hashing: bytes).bytes
  }

  @Test(
    arguments: [
      (1, 9, EntryError.unknownKind(9)), (2, 2, .malformed(offset: 2)),
      (3, 0, .malformed(offset: 3)),
      (3, 65, .malformed(offset: 3)), (3, 64, .malformed(offset: 3)), (8, 0, .malformed(offset: 8)),
      (23, 0x80, .malformed(offset: 16)), (16, 2, .malformed(offset: 16)),
      (64, 0xFF, .malformed(offset: 64)),
    ] as [(Int, UInt8, EntryError)])
  func `a field that cannot be is refused`(offset: Int, value: UInt8, error: EntryError) {
    #expect(throws: error) {
      try Entry.decode(
        sealed {
          // An epoch of 0 is one whose bytes are all 0.
          $0[offset] = value
        })
    }
  }

  @Test func `versions that end at the last number are refused`() {
    let bytes = sealed { bytes in for index in 24..<32 { bytes[index] = index == 31 ? 0x7F : 0xFF }
    }
    #expect(throws: EntryError.malformed(offset: 16)) { try Entry.decode(bytes) }
  }

  @Test func `only the last part makes versions`() {
    #expect(throws: EntryError.malformed(offset: 24)) { try Entry.decode(sealed { $0[2] = 0 }) }
  }

  @Test func `an epoch that none can follow is refused`() {
    let bytes = sealed { bytes in for index in 8..<16 { bytes[index] = 0xFF } }
    #expect(throws: EntryError.malformed(offset: 8)) { try Entry.decode(bytes) }
  }

  @Test func `only rows have parts, versions and bytes`() {
    let renewal = Entry(.renewal, by: EntryTests.author, on: 7, after: .none)
    #expect(throws: EntryError.malformed(offset: 2)) {
      try Entry.decode(sealed({ $0[2] = 0 }, renewal))
    }
    #expect(throws: EntryError.malformed(offset: 2)) {
      try Entry.decode(sealed({ $0[4] = 1 }, renewal))
    }
    #expect(throws: EntryError.malformed(offset: 2)) {
      try Entry.decode(sealed({ $0[24] = 8 }, renewal))
    }
    #expect(throws: EntryError.malformed(offset: 66)) {
      try Entry.decode(sealed({ $0.append(1) }, renewal))
    }
  }

  @Test func `random bytes are refused, and never more is read than there is`() {
    var random = SeededGenerator(seed: 27)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0..<200, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random), count > 4 {
        bytes[0] = 1
        bytes[1] = UInt8.random(in: 1...4, using: &random)
        bytes += EntryHash(hashing: bytes).bytes
      }
      guard let (entry, _) = try? Entry.decode(bytes) else { continue }
      #expect(entry.encoded().bytes == bytes)
    }
  }

  @Test(arguments: [
    ("n1", true), ("", false), ("a b", false), ("é", false), ("A-b_9", true), ("a.b", false),
    ("a\n", false),
  ])
  func `a node's name is a word`(text: String, isName: Bool) {
    #expect((NodeName(text) != nil) == isName)
    #expect(NodeName(String(repeating: "a", count: 65)) == nil)
  }
}
