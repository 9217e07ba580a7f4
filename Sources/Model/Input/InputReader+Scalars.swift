import GatehouseBSON

extension InputReader {
  /// A value of a type that is neither mixed nor a class, or nil and a problem. Null is none.
  mutating func scalar(_ value: Value, as type: ElementType) -> Mixed? {
    switch type {
    case .bool: if case .bool(let bool) = value { return .bool(bool) }
    // Realm is strict: 5.0 is no int.
    case .int: if let int = value.int { return .int(int) }
    case .float: if let float = float(value) { return float }
    case .double:
      if case .double(let double) = value { return .double(double) }
      if let int = value.int { return .double(Double(int)) }
    case .decimal128: if let decimal = decimal(value) { return decimal }
    case .string: if case .string(let string) = value { return .string(string) }
    case .data:
      if case .binary(let binary) = value { return .data(binary.bytes) }
      if case .string(let text) = value { return Base64.decode(text).map { .data($0) } ?? malformed(type) }
    case .date:
      if case .date(let date) = value { return .date(date) }
      if case .string(let text) = value { return Date(text).map { .date($0) } ?? malformed(type) }
    case .objectID:
      if case .objectID(let id) = value { return .objectID(id) }
      if case .string(let text) = value { return ObjectID(text).map { .objectID($0) } ?? malformed(type) }
    case .uuid:
      if case .uuid(let uuid) = value { return .uuid(uuid) }
      if case .string(let text) = value { return UUID(text).map { .uuid($0) } ?? malformed(type) }
    case .mixed, .object: break
    }
    return mismatch(value, type)
  }

  /// A double that a float32 can't come near is out of range; others are rounded.
  private mutating func float(_ value: Value) -> Mixed? {
    if let int = value.int { return .float(Float(int)) }
    guard case .double(let double) = value else { return nil }
    let float = Float(double)
    if float.isInfinite && double.isFinite {
      report(.outOfRange(.float))
      return .null
    }
    return .float(float)
  }

  /// Not from a double: it would not be the digits that the client wrote.
  private mutating func decimal(_ value: Value) -> Mixed? {
    if case .decimal128(let decimal) = value { return .decimal128(decimal) }
    if let int = value.int { return .decimal128(Decimal128(int)) }
    guard case .string(let text) = value else { return nil }
    return Decimal128(text).map { .decimal128($0) } ?? malformed(.decimal128)
  }

  /// A problem has been reported: what the value is no longer matters.
  private mutating func malformed(_ type: ElementType) -> Mixed? {
    report(.malformed(type))
    return .null
  }

  private mutating func mismatch(_ value: Value, _ type: ElementType) -> Mixed? {
    if case .null = value {
      report(.null)
    } else {
      report(.wrongType(expected: .one(type, optional: false), found: ValueKind(value)))
    }
    return nil
  }
}

extension Value {
  /// An integer of either width.
  var int: Int64? {
    switch self {
    case .int64(let int): int
    case .int32(let int): Int64(int)
    default: nil
    }
  }
}
