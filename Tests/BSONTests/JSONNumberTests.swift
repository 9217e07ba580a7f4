import GatehouseBSON
import GatehouseSeeded
import Testing

@Test func `any text of a number is read as the nearest double`() throws {
  var random = SeededGenerator(seed: 21)
  for _ in 0..<5000 {
    let whole = UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
    let decimals = UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
    let exponent =
      Int.random(in: -330...285, using: &random) / [1, 10, 100][Int.random(in: 0..<3, using: &random)]
    let text = "\(whole).\(decimals)E\(exponent)"
    #expect(try Value(json: text) == .double(Double(text) ?? .nan), "\(text)")
  }
}

@Test func `any double is written so that it is read again, with no more digits than Swift's`() throws {
  var generator = ValueGenerator(seed: 22)
  for _ in 0..<5000 {
    let double = generator.double()
    let text = Value.double(double).plainJSON
    #expect(try Value(json: text) == .double(double))
    let description = double.description
    if double.isFinite, !description.contains("e") {
      #expect(String(decoding: text, as: UTF8.self) == description)
    }
  }
}

@Test func `integers are exact`() throws {
  var random = SeededGenerator(seed: 23)
  for _ in 0..<5000 {
    let number = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
    let value = try Value(json: String(number))
    #expect(value == (Int32(exactly: number).map { .int32($0) } ?? .int64(number)))
    #expect(String(decoding: value.plainJSON, as: UTF8.self) == String(number))
  }
}
