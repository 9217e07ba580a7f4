import GatehouseBSON
import GatehouseSeeded
import Testing

@Test(arguments: 0..<20)
func `generated documents survive BSON bytes, canonical Extended JSON and the builder`(seed: Int) throws {
  var generator = ValueGenerator(seed: UInt64(seed))
  for _ in 0..<200 {
    let document = generator.document()
    let bytes = try document.bson()
    #expect(try Document(bson: bytes) == document)
    let json = Value.document(document).extendedJSON
    #expect(try Value(json: json) == .document(document))
    var builder = ValueBuilder()
    builder.value(.document(document))
    #expect(builder.finish() == .document(document))
  }
}

@Test(arguments: 0..<20)
func `mutated BSON bytes are refused inside of them or read`(seed: Int) throws {
  var generator = ValueGenerator(seed: UInt64(seed) + 1000)
  for _ in 0..<200 {
    let mutated = mutate(try generator.document().bson(), &generator.random)
    do throws(BSONError) {
      // Bytes that are read can be written, and are then the same again.
      let document = try Document(bson: mutated)
      #expect(try Document(bson: try document.bson()) == document)
    } catch {
      #expect(0...mutated.count ~= error.offset)
    }
  }
}

@Test(arguments: 0..<20)
func `mutated JSON texts are refused inside of them or read`(seed: Int) throws {
  var generator = ValueGenerator(seed: UInt64(seed) + 2000)
  for _ in 0..<200 {
    let mutated = mutate(Value.document(generator.document()).extendedJSON, &generator.random)
    do throws(JSONError) {
      let value = try Value(json: mutated)
      #expect(try Value(json: value.extendedJSON) == value)
    } catch {
      #expect(0...mutated.count ~= error.offset)
    }
  }
}

/// Flips, drops, doubles or cuts bytes.
private func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
  var bytes = bytes
  for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
    let index = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[index] = .random(in: .min ... .max, using: &random)
    case 2: bytes.remove(at: index)
    case 3: bytes.insert(bytes[index], at: index)
    default: bytes.removeSubrange(index...)
    }
  }
  return bytes
}
