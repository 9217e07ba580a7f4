import Foundation
import RealmSwift
import Testing

@Suite struct Decimal128Tests {
  @Test func `numbers come of literals, texts and numbers`() throws {
    #expect((5 as Decimal128).description == "5")
    #expect((0.1 as Decimal128).description == "0.1")
    #expect(("1.50" as Decimal128).stringValue == "1.50")
    #expect(Decimal128().description == "0")
    #expect(Decimal128(number: Float(0.1)).description == "0.1")
    #expect(Decimal128(number: UInt64.max).description == "18446744073709551615")
    #expect(Decimal128(value: "1e3").description == "1E+3")
    #expect(Decimal128(value: 7).description == "7")
    #expect(Decimal128(value: 0.5 as Decimal128).description == "0.5")
    #expect(
      try Decimal128(string: "12345678901234567890123456789012345").description
        == "1.234567890123456789012345678901234E+34")
    #expect(Decimal128(exactly: 3)?.description == "3")
  }

  @Test func `a text that is none gives a NaN`() throws {
    let nan = try Decimal128(string: "five")
    #expect(nan.isNaN && !nan.isSignaling && !nan.isSignalingNaN)
    #expect(nan == nan && nan < Decimal128.min && nan.hashValue == ("NaN" as Decimal128).hashValue)
    #expect(nan.description == "NaN")
  }

  @Test func `zeros behind the point make no other number`() {
    let (short, long): (Decimal128, Decimal128) = ("1", "1.00")
    #expect(short == long && short.hashValue == long.hashValue && Set([short, long]).count == 1)
    #expect(!(short < long) && short <= long && short >= long && !(short > long))
    #expect(("-0" as Decimal128) == 0 && ("-0" as Decimal128).hashValue == (0 as Decimal128).hashValue)
  }

  @Test func `the least and the greatest are finite`() {
    #expect(Decimal128.max.description == "9.999999999999999999999999999999999E+6144")
    #expect(Decimal128.min.description == "-9.999999999999999999999999999999999E+6144")
    #expect(Decimal128.max < "Infinity" && Decimal128.min > "-Infinity")
  }

  @Test func `they are computed with`() {
    var number: Decimal128 = 1
    number += 2.5
    number *= 2
    #expect(number == 7 && number - 8 == -1 && (number / 2).description == "3.5")
    #expect((1 / 3 as Decimal128).description == "0.3333333333333333333333333333333333")
    #expect((number / 0).description == "Infinity" && (number - number) / 0 == "NaN")
    #expect((-number).magnitude == 7 && number.magnitude == 7)
    #expect((2 as Decimal128).distance(to: 5) == 3 && (2 as Decimal128).advanced(by: 5) == 7)
    #expect([1, 2, 3.5 as Decimal128].reduce(0, +) == 6.5)
    #expect(number.doubleValue == 7)
  }

  @Test func `they travel as texts, and are read of numbers as well`() throws {
    #expect(String(decoding: try JSONEncoder().encode([1.5 as Decimal128]), as: UTF8.self) == #"["1.5"]"#)
    let numbers = try JSONDecoder().decode([Decimal128].self, from: Data(#"["1E+40", 7, 2.5]"#.utf8))
    #expect(numbers.map(\.description) == ["1E+40", "7", "2.5"])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Decimal128].self, from: Data("[{}]".utf8))
    }
  }
}
