import GatehouseBSON
import Testing

/// The memory that contents take once they are decoded.
@Suite struct ValueCountTests {
  private static func count(json: [UInt8]) -> ValueCount { ValueCount(of: json, isBSON: false) }

  private static func count(bson: [UInt8]) -> ValueCount { ValueCount(of: bson, isBSON: true) }

  /// The bytes of the buffers that a value consists of, but for characters: a head of 32 bytes, and the elements.
  private static func memory(of value: Value) -> Int {
    switch value {
    case .array(let values) where !values.isEmpty:
      values.reduce(32 + values.count * MemoryLayout<Value>.stride) { $0 + memory(of: $1) }
    case .document(let document): memory(of: document)
    case .javaScriptWithScope(_, let scope): memory(of: scope)
    default: 0
    }
  }

  private static func memory(of document: Document) -> Int {
    guard !document.elements.isEmpty else { return 0 }
    return document.elements.reduce(32 + document.elements.count * MemoryLayout<Document.Element>.stride) {
      $0 + memory(of: $1.value)
    }
  }

  @Test(arguments: [
    ("", 1, 0, 0), ("1", 1, 0, 0), ("[0,0,0]", 4, 0, 1), ("[]", 2, 0, 1), (#"{"a":1,"b":[{}]}"#, 2, 3, 3),
    (#"[",[{\"",{"\\":"}"}]"#, 3, 1, 2), ("{\"a\":\n1}\n{\"a\":2}", 2, 2, 2), ("[[1,2", 4, 0, 2),
  ])
  func `values are counted as they are separated`(text: String, elements: Int, members: Int, containers: Int)
  {
    let count = Self.count(json: Array(text.utf8))
    #expect((count.elements, count.members, count.containers) == (elements, members, containers))
  }

  @Test(arguments: [1, 1_000, 100_000])
  func `an array of small values counts as what it becomes`(count: Int) throws {
    let json = Array("[\(Array(repeating: "0", count: count).joined(separator: ","))]".utf8)
    let value = try Value(json: json)
    // With the stack on which the reader has it, which is as large at least.
    let least = count * MemoryLayout<Value>.stride
    #expect(Self.count(json: json).memory >= Self.memory(of: value) + least)
    let bson = try (["a": value] as Document).bson()
    #expect(Self.count(bson: bson).memory >= Self.memory(of: value) + least)
    // Not many times as much either: it is for the caller's share.
    #expect(Self.count(json: json).memory <= 4 * Self.memory(of: value) + 200)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `the count is never below what is decoded`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    let document = generator.document(depth: 5)
    let least = Self.memory(of: document)
    #expect(try Self.count(bson: document.bson()).memory >= least)
    let json = Value.document(document).extendedJSON
    #expect(try Self.count(json: json).memory >= Self.memory(of: Value(json: json)))
  }

  @Test func `what is malformed ends the count, and what is too deep`() throws {
    let deep = [UInt8](repeating: UInt8(ascii: "{"), count: 100_000)
    #expect(Self.count(json: deep).containers == 104)
    let bson = try (["a": .string("text"), "b": ["c": .array([.int32(1)])]] as Document).bson()
    for index in bson.indices {
      for byte in [0, 1, 0x7E, 0x80, 0xFF] as [UInt8] {
        var damaged = bson
        damaged[index] = byte
        #expect(Self.count(bson: damaged).containers <= bson.count)
      }
      #expect(Self.count(bson: Array(bson[..<index])).elements <= 2)
    }
  }

  @Test(arguments: 0..<20)
  func `the count of mutated contents is never below what is read, nor above their bytes`(seed: UInt64) throws
  {
    var generator = ValueGenerator(seed: seed + 3000)
    for _ in 0..<200 {
      let document = generator.document()
      let bson = try generator.mutated(document.bson() + document.bson())
      let json = generator.mutated(Value.document(document).extendedJSON)
      for (bytes, isBSON) in [(bson, true), (Array(bson.dropFirst(bson.count / 2)), true), (json, false)] {
        let count = ValueCount(of: bytes, isBSON: isBSON)
        #expect(count.elements + count.members <= bytes.count + 1 && count.containers <= bytes.count)
        let read = isBSON ? (try? Document(bson: bytes)).map(Value.document) : try? Value(json: bytes)
        if let read { #expect(count.memory >= Self.memory(of: read)) }
      }
    }
  }
}
