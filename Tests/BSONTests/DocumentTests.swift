import GatehouseBSON
import Testing

@Test func `a document gives the first value of a repeated key`() {
  var document = Document()
  document.append("a", .int32(1))
  document.append("a", .int32(2))
  #expect(document["a"] == .int32(1))
}
