import GatehouseBSON
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
    let mutated = generator.mutated(try generator.document().bson())
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
    let mutated = generator.mutated(Value.document(generator.document()).extendedJSON)
    do throws(JSONError) {
      let value = try Value(json: mutated)
      #expect(try Value(json: value.extendedJSON) == value)
    } catch {
      #expect(0...mutated.count ~= error.offset)
    }
  }
}
