import GatehouseBSON

/// A test that is made on a value, or on what is missing.
indirect enum ValueTest: Sendable {
  /// How a value must stand to another.
  enum Relation: Sendable {
    case equal, less, lessOrEqual, greater, greaterOrEqual
  }

  /// Which bits of a mask must be set.
  enum Bits: Sendable {
    case allSet, anySet, allClear, anyClear
  }

  case compare(Relation, Value)
  /// Equality to a value of a set, or a match of a pattern.
  case among(ValueSet)
  case exists
  case hasType(TypeTest)
  case matches(PatternTest)
  case modulo(Int64, Int64)
  case bits(Bits, BitMask)
  case size(Int)
  /// An array with a document for which the condition holds.
  case elementDocument(Filter.Node)
  /// An array with an element for which the condition, which has no paths, holds.
  case element(Filter.Node)
  case schema(SchemaTest)
  case geo(GeoRegion)
  case near(GeoNear)

  /// Whether it looks at an array as a whole only, and not at each element.
  var takesWholeArrays: Bool {
    switch self {
    case .size, .elementDocument, .element, .schema: true
    case .compare, .among, .exists, .hasType, .matches, .modulo, .bits, .geo, .near: false
    }
  }
}

/// The operand of `$in`.
struct ValueSet: Sendable {
  let values: [Value]
  let keys: Set<ValueKey>
  let patterns: [PatternTest]

  init(_ values: [Value], patterns: [PatternTest]) {
    self.values = values
    keys = Set(values.map { ValueKey($0) })
    self.patterns = patterns
  }

  /// A value that is missing is null.
  func contains(_ value: Value?) -> Bool {
    if keys.contains(ValueKey(value ?? .null)) { return true }
    if case .undefined? = value, keys.contains(ValueKey(.null)) { return true }
    return value.map { value in patterns.contains { $0.holds(for: value) } } ?? false
  }
}

/// A regular expression in a filter: it matches texts, and the same expression.
struct PatternTest: Sendable {
  let expression: RegularExpression
  let pattern: Pattern

  init(_ expression: RegularExpression) throws(DocumentsError) {
    self.expression = expression
    pattern = try Pattern(expression.pattern, options: expression.options)
  }

  func holds(for value: Value) -> Bool {
    if let text = value.text { return pattern.matches(text) }
    if case .regularExpression(let other) = value { return other == expression }
    return false
  }
}

/// The operand of `$type`.
struct TypeTest: Sendable {
  let names: Set<String>
  let includesNumbers: Bool

  /// - Parameter value: an alias, a number, or an array of them.
  init(_ value: Value) throws(DocumentsError) {
    var names: Set<String> = []
    var includesNumbers = false
    let types = value.asArray ?? [value]
    if types.isEmpty { throw .failedToParse("$type must match at least one type") }
    for type in types {
      if case .string(let name) = type {
        if name == "number" {
          includesNumbers = true
        } else if Value.typeNumbers.contains(where: { $0.name == name }) {
          names.insert(name)
        } else {
          throw .badValue("Unknown type name alias: \(name)")
        }
      } else if type.isNumber {
        guard let number = type.asInteger, let known = Value.typeNumbers.first(where: { $0.number == number })
        else {
          throw .badValue("Invalid numerical type code: no such type")
        }
        names.insert(known.name)
      } else {
        throw .typeMismatch("type must be represented as a number or a string")
      }
    }
    self.names = names
    self.includesNumbers = includesNumbers
  }

  func holds(for value: Value) -> Bool {
    names.contains(value.typeName) || includesNumbers && value.isNumber
  }
}

/// The operand of `$bitsAllSet` and the like.
struct BitMask: Sendable {
  /// The positions that an array names.
  private var positions: [Int] = []
  /// The bits of a number or of binary data, the lowest first.
  private var bytes: [UInt8] = []

  init(_ value: Value, _ name: String) throws(DocumentsError) {
    switch value {
    case .array(let values):
      var positions: [Int] = []
      for value in values {
        guard let position = value.asInteger, 0...Int64(Int32.max) ~= position else {
          throw .badValue("bit positions must be integers >= 0 in \(name)")
        }
        positions.append(Int(position))
      }
      self.positions = positions
    case .binary, .uuid:
      bytes = value.binary?.bytes ?? []
    default:
      guard value.isNumber, let mask = value.asInteger, mask >= 0 else {
        throw .failedToParse("\(name) takes an Array, a number, or a BinData but received: \(value.typeName)")
      }
      bytes = (0..<8).map { UInt8(truncatingIfNeeded: mask >> Int64($0 * 8)) }
    }
  }

  /// Whether a test holds for one of the positions.
  private func contains(where test: (Int) -> Bool) -> Bool {
    if positions.contains(where: test) { return true }
    return bytes.indices.contains { index in
      (0..<8).contains { bytes[index] >> UInt8($0) & 1 == 1 && test(index * 8 + $0) }
    }
  }

  func holds(_ bits: ValueTest.Bits, for value: Value) -> Bool {
    let isSet: (Int) -> Bool
    if let binary = value.binary {
      isSet = { $0 / 8 < binary.bytes.count && binary.bytes[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    } else if value.isNumber, let integer = value.asInteger {
      // The sign goes on for ever.
      isSet = { integer >> Int64(min($0, 63)) & 1 == 1 }
    } else {
      return false
    }
    switch bits {
    case .allSet: return !contains { !isSet($0) }
    case .anySet: return contains(where: isSet)
    case .allClear: return !contains(where: isSet)
    case .anyClear: return contains { !isSet($0) }
    }
  }
}
