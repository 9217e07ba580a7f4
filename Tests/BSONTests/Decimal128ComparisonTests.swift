import GatehouseBSON
import Testing

@Test func `decimals compare by value`() throws {
  let ascending = [
    ["NaN", "-NaN"], ["-Infinity"], ["-9.999999999999999999999999999999999E6144"], ["-10", "-1E1", "-10.0"],
    ["-9.99"], ["-1E-6176"], ["0", "-0", "0E6111", "0E-6176"], ["1E-6176"], ["1E-6175", "10E-6176"],
    ["0.1", "0.10", "1E-1", "1000000000000000000000000000000000E-34"],
    ["0.1000000000000000000000000000000001"], ["1", "1.00"], ["10"], ["9999999999999999999999999999999999"],
    ["1E34", "1.000000000000000000000000000000000E34"], ["1E6144"], ["Infinity"],
  ]
  let all = try ascending.enumerated().flatMap { group in
    try group.element.map { (group.offset, try #require(Decimal128($0))) }
  }
  for (leftGroup, left) in all {
    for (rightGroup, right) in all {
      #expect(
        Decimal128.compare(left, right).signum() == (leftGroup - rightGroup).signum(), "\(left) \(right)")
    }
  }
}

@Test(arguments: [0, 1, -1, 10, .max, .min])
func `an int is a decimal, exactly`(int: Int64) {
  #expect(Decimal128(int).description == String(int))
}
