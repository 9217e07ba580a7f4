import GatehouseBSON
import GatehouseSeeded

/// Makes values of every type, the remarkable ones often.
struct ValueGenerator {
  var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  private mutating func one<Item>(of items: [Item]) -> Item {
    items[Int.random(in: 0..<items.count, using: &random)]
  }

  private mutating func number<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer {
    let any = Integer.random(in: .min ... .max, using: &random)
    return one(of: [any, any >> (Integer.bitWidth / 2), .min, .max, 0, 1])
  }

  mutating func document(depth: Int = 3) -> Document {
    var document = Document()
    for index in 0..<Int.random(in: 0...6, using: &random) {
      document.append(key() + String(index), value(depth: depth - 1))
    }
    return document
  }

  /// Never a `$` in front, since Extended JSON cannot say such a name.
  private mutating func key() -> String {
    let text = string().replacing("\0", with: "0")
    return text.hasPrefix("$") ? "a" + text : text
  }

  mutating func string() -> String {
    let pieces = [
      "", "a", "name", "$x", "日本", "é", "e\u{301}", "😀", "\"", "\\", "\n", "\0", "\u{1F}", "\u{7F}",
    ]
    return (0..<Int.random(in: 0...4, using: &random)).map { _ in one(of: pieces) }.joined()
  }

  mutating func double() -> Double {
    let bits = Double(bitPattern: random.next())
    let decimal = Double(Int.random(in: -99_999_999...99_999_999, using: &random)) / 1e5
    return one(of: [
      bits.isNaN ? .nan : bits, decimal, decimal, 0, -0.0, .nan, .infinity, -.infinity, .pi,
      .leastNonzeroMagnitude, -.greatestFiniteMagnitude, 9_007_199_254_740_992,
    ])
  }

  /// Finite numbers in canonical form, infinities, and the one NaN.
  mutating func decimal128() -> Decimal128 {
    let digits = (0..<Int.random(in: 1...34, using: &random)).map { _ in String(number(UInt8.self) % 10) }
    let exponent = one(of: [0, -1, -5, 6111, -6176, 100, -30])
    let sign = one(of: ["", "-"])
    let text = one(of: [
      "\(sign)\(digits.joined())E\(exponent)", "\(sign)0E\(exponent)", "\(sign)Infinity", "NaN",
    ])
    return Decimal128(text) ?? .zero
  }

  mutating func bytes() -> [UInt8] {
    (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private mutating func binary() -> Binary {
    let subtype = one(of: [0, 1, 2, 3, 5, 6, 9, 0x80, 0xFF])
    return Binary(subtype: UInt8(subtype), bytes: bytes())
  }

  private mutating func objectID() -> ObjectID {
    ObjectID(high: random.next(), low: number(UInt32.self))
  }

  private mutating func date() -> Date {
    let days = Int64.random(in: -40_000...40_000, using: &random)
    return Date(milliseconds: one(of: [number(Int64.self), days * 86_400_000 + 123]))
  }

  private mutating func regularExpression() -> RegularExpression {
    let pattern = string().replacing("\0", with: ".")
    return RegularExpression(pattern: pattern, options: one(of: ["", "i", "imsx", "u"]))
  }

  mutating func value(depth: Int = 3) -> Value {
    if depth > 0, Int.random(in: 0..<4, using: &random) == 0 { return container(depth: depth) }
    return switch Int.random(in: 0..<19, using: &random) {
    case 0: .null
    case 1: .bool(.random(using: &random))
    case 2: .int32(number(Int32.self))
    case 3: .int64(number(Int64.self))
    case 4: .double(double())
    case 5: .decimal128(decimal128())
    case 6: .string(string())
    case 7: .binary(binary())
    case 8: .uuid(UUID(high: random.next(), low: random.next()))
    case 9: .objectID(objectID())
    case 10: .date(date())
    case 11: .timestamp(Timestamp(time: number(UInt32.self), increment: number(UInt32.self)))
    case 12: .regularExpression(regularExpression())
    case 13: .minKey
    case 14: .maxKey
    case 15: .undefined
    case 16: .symbol(string())
    case 17: .javaScript(string())
    default: .dbPointer(namespace: string(), id: objectID())
    }
  }

  private mutating func container(depth: Int) -> Value {
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1: .document(document(depth: depth))
    case 2: .javaScriptWithScope(code: string(), scope: document(depth: depth))
    default: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth - 1) })
    }
  }

  /// Flips, drops, doubles or cuts bytes, or writes a remarkable length over four of them.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[index] = .random(in: .min ... .max, using: &random)
      case 2: bytes.remove(at: index)
      case 3: bytes.insert(bytes[index], at: index)
      case 4:
        let length = one(of: [0, 1, 4, 5, Int32(bytes.count), .max, .min, -1])
        let range = index..<min(index + 4, bytes.count)
        bytes.replaceSubrange(
          range, with: withUnsafeBytes(of: length.littleEndian) { $0.prefix(range.count) })
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }
}
