import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import Glibc
import Testing

@Suite struct MixedOrderTests {
  private static func decimal(_ text: String) -> Mixed {
    .decimal128(Decimal128(text) ?? .nan)
  }

  private static func link(_ objectType: String, _ key: Int64) -> Mixed {
    .link(ObjectLink(objectType: objectType, key: ObjectKey(key)))
  }

  /// Each group is equal within, and before the next. No decimal is so near to a double of more than 15
  /// digits that those would matter.
  private static let ascending: [[Mixed]] = [
    [.null],
    [.bool(false)], [.bool(true)],
    [.double(.nan), .float(.nan), decimal("NaN"), .double(-.nan)],
    [.double(-.infinity), .float(-.infinity), decimal("-Infinity")],
    [.double(-1e300)],
    [.double(-0x1p63), .int(.min), .float(-0x1p63)],
    [.int(.min + 1)],
    [.double(-1.5), .float(-1.5), decimal("-1.50")],
    [.int(-1)],
    [.double(-.leastNonzeroMagnitude)],
    [.int(0), .double(-0.0), .float(0), decimal("-0"), decimal("0E+10")],
    [decimal("1E-6000")],
    [.int(1), .double(1), .float(1), decimal("1.000"), decimal("100E-2")],
    [.double(1.5), .float(1.5), decimal("1.5")],
    [.int(9_007_199_254_740_992), .double(0x1p53)],
    [.int(9_007_199_254_740_993)],
    [.int(9_007_199_254_740_994), .double(0x1p53 + 2)],
    [.int(.max - 1)],
    [.int(.max)],
    [.double(0x1p63)],
    [.double(1e22), decimal("1E22")],
    [decimal("1.000000000000000000000000000000001E22")],
    [decimal("9.999999999999999999999999999999999E6144")],
    [.double(.infinity), .float(.infinity), decimal("Infinity")],
    [.string("")], [.string("B")], [.string("a")], [.string("a\u{0}")], [.string("ab")],
    [.string("e\u{301}")], [.string("z")], [.string("\u{E9}")], [.string("\u{FFFF}")], [.string("😀")],
    [.data([])], [.data([0])], [.data([0, 1])], [.data([127])], [.data([128])],
    [.date(Date(seconds: -1, nanoseconds: 999_999_999))], [.date(Date(seconds: 0))],
    [.date(Date(seconds: 0, nanoseconds: 1))],
    [.objectID(ObjectID(high: 1, low: .max))], [.objectID(ObjectID(high: 1 << 63, low: 0))],
    [.uuid(UUID(high: 1, low: .max))], [.uuid(UUID(high: 1 << 63, low: 0))],
    [link("A", 9)], [link("B", 1)], [link("B", 2)],
    [.list([])], [.list([.int(1)]), .list([.double(1)])], [.list([.int(1), .null])], [.list([.int(2)])],
    [.dictionary([])],
    [.dictionary([.init(key: "a", value: .int(1))])], [.dictionary([.init(key: "a", value: .int(2))])],
    [.dictionary([.init(key: "a", value: .int(2)), .init(key: "b", value: .null)])],
    [.dictionary([.init(key: "b", value: .null)])],
  ]

  @Test func `values of all types have one order`() {
    let all = Self.ascending.enumerated().flatMap { group in group.element.map { (group.offset, $0) } }
    for (leftGroup, left) in all {
      for (rightGroup, right) in all {
        let order = MixedOrder.compare(left, right).signum()
        #expect(order == (leftGroup - rightGroup).signum(), "\(left) \(right)")
        #expect(MixedOrder.sortOrder(left, right).signum() == order, "\(left) \(right)")
        #expect(MixedOrder.isEqual(left, right) == (leftGroup == rightGroup))
        #expect(MixedOrder.isComparable(left, right) == (left.rank == right.rank))
      }
    }
  }

  @Test func `ints and decimals compare exactly`() {
    #expect(MixedOrder.isEqual(.int(.min), Self.decimal("-9223372036854775808")))
    #expect(MixedOrder.isEqual(.int(.max), Self.decimal("9223372036854775807.0")))
    #expect(MixedOrder.compare(.int(.max), Self.decimal("9223372036854775807.1")) < 0)
    #expect(MixedOrder.compare(.int(.max), Self.decimal("9223372036854775806.9")) > 0)
  }

  @Test(
    arguments: [
      // 15 digits of a double, 7 of a float.
      (.double(0.1), "0.1", 0),
      (.double(0.1), "0.10000000000000000555", -1),
      (.double(0.30000000000000004), "0.3", 0),
      (.double(1.0 / 3), "0.333333333333333", 0),
      (.double(2.0 / 3), "0.666666666666667", 0),
      (.double(123_456_789_012_345.6), "123456789012346", 0),
      (.double(-2.0 / 3), "-0.666666666666667", 0),
      (.double(9.999_999_999_999_999), "10", 0),
      (.double(.leastNonzeroMagnitude), "5E-324", 0),
      (.double(1.797_693_134_862_315_7e308), "1.79769313486232E308", 0),
      (.float(0.1), "0.1", 0),
      (.float(0.1), "0.100000001", -1),
      (.float(16_777_216), "16777220", 0),
      (.float(1.0 / 3), "0.3333333", 0),
      // Exactly half way: to even.
      (.double(2_251_799_813_685_248.5), "2251799813685250", 0),
      (.double(1_000_000_000_000_000.5), "1000000000000000", 0),
      (.double(1_000_000_000_000_005), "1000000000000000", 0),
      (.double(1_000_000_000_000_015), "1000000000000020", 0),
      (.float(16_777_215), "16777220", 0),
      (.float(10_000_005), "10000000", 0),
      (.float(10_000_015), "10000020", 0),
      // The shortest digits end at a half (0.1234567890123455), the double is below or above it.
      (.double(0.123_456_789_012_345_5), tie(0.123_456_789_012_345_5), 0),
      (.double(0.700_000_000_000_000_5), tie(0.700_000_000_000_000_5), 0),
      (.double(3.000_000_000_000_005e20), tie(3.000_000_000_000_005e20), 0),
      (.double(3.000_000_000_000_005e-20), tie(3.000_000_000_000_005e-20), 0),
    ] as [(Mixed, String, Int)])
  func `a double is its 15 digits beside a decimal`(number: Mixed, text: String, order: Int) {
    #expect(MixedOrder.compare(number, Self.decimal(text)).signum() == order)
    #expect(MixedOrder.compare(Self.decimal(text), number).signum() == -order)
  }

  /// Near each other, so that "equal" is not transitive where the 15 digits of a double are compared.
  private static let neighbours: [Mixed] =
    [0.3, 0.30000000000000004, 0.1 + 0.7, 0.8, 0.1, 1.0 / 3, 0x1p53, 0x1p63, 0x1p62 + 1024, 1e22, 1.1e-300]
    .flatMap {
      (double: Double) -> [Mixed] in
      let float = Float(double)
      return [
        .double(double), .double(double.nextUp), .double(-double), .float(float), .float(float.nextUp),
        .decimal128(Decimal128(double)), .decimal128(Decimal128(rounding: double)),
        .decimal128(Decimal128(rounding: float)), .decimal128(Decimal128(Double(float))),
      ] + (Int64(exactly: double.rounded()).map { [.int($0), .int($0 + 1)] } ?? [])
    }

  @Test func `the order to sort by is total`() {
    let values = Self.neighbours
    for left in values {
      for middle in values {
        let order = MixedOrder.sortOrder(left, middle)
        #expect(order.signum() == -MixedOrder.sortOrder(middle, left).signum())
        for right in values where order <= 0 && MixedOrder.sortOrder(middle, right) <= 0 {
          let isEqual = order == 0 && MixedOrder.sortOrder(middle, right) == 0
          let found = MixedOrder.sortOrder(left, right)
          if isEqual ? found != 0 : found >= 0 { Issue.record("\(left) \(middle) \(right)") }
        }
      }
    }
  }

  /// C's 15 digits, which are rounded from the exact value.
  private static func tie(_ double: Double) -> String {
    var text = [CChar](repeating: 0, count: 64)
    _ = withVaList([double]) { vsnprintf(&text, text.count, "%.14e", $0) }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test func `doubles are rounded as C rounds them`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<5000 {
      // Sixteen digits that end in five come near a tie.
      let digits = Int64.random(in: 100_000_000_000_000...999_999_999_999_999, using: &generator) * 10 + 5
      let power = Int.random(in: -300...290, using: &generator)
      guard let double = Double("\(digits)e\(power)") else { continue }
      #expect(
        MixedOrder.isEqual(.double(double), Self.decimal(Self.tie(double))), "\(double)")
    }
  }

  @Test func `ints and doubles compare exactly`() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<5000 {
      let int =
        Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...62, using: &generator)
      let double = Double(int) + Double(Int.random(in: -2...2, using: &generator)) / 2
      #expect(MixedOrder.compare(.int(int), .double(double)).signum() == exactOrder(int, double))
    }
  }

  /// By 128-bit halves: the doubles above are multiples of 0.5, or large and whole.
  private func exactOrder(_ int: Int64, _ double: Double) -> Int {
    let (left, right) = (Int128(int) * 2, Int128(double * 2))
    return left == right ? 0 : left < right ? -1 : 1
  }
}
