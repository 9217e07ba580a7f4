/// The types that are made of more than one part.
extension ExtendedJSONType {
  static func binary(_ parts: Document) -> Value? {
    guard parts.elements.count == 2, case .string(let base64) = parts["base64"],
      case .string(let subtype) = parts["subType"]
    else { return nil }
    return binary(base64, subtype: subtype)
  }

  /// `{"$binary": base64, "$type": "00"}`, or the type as a number, as mongoexport once wrote.
  static func legacyBinary(_ document: Document) -> Value? {
    guard document.elements.count == 2, case .string(let base64) = document["$binary"] else { return nil }
    switch document["$type"] {
    case .string(let subtype): return binary(base64, subtype: subtype)
    case .int32(let subtype): return UInt8(exactly: subtype).flatMap { binary(base64, subtype: $0) }
    default: return nil
    }
  }

  private static func binary(_ base64: String, subtype: String) -> Value? {
    let digits = subtype.utf8
    guard 1...2 ~= digits.count, digits.allSatisfy({ Hexadecimal.nibble($0) != nil }) else { return nil }
    return UInt8(subtype, radix: 16).flatMap { binary(base64, subtype: $0) }
  }

  private static func binary(_ base64: String, subtype: UInt8) -> Value? {
    Base64.decode(base64).map { Value(binary: $0, subtype: subtype) }
  }

  static func codeWithScope(_ document: Document) -> Value? {
    guard document.elements.count == 2, case .string(let code) = document["$code"],
      case .document(let scope) = document["$scope"]
    else { return nil }
    return .javaScriptWithScope(code: code, scope: scope)
  }

  static func timestamp(_ parts: Document) -> Value? {
    guard parts.elements.count == 2, let time = unsigned(parts["t"]), let increment = unsigned(parts["i"])
    else { return nil }
    return .timestamp(Timestamp(time: time, increment: increment))
  }

  private static func unsigned(_ value: Value?) -> UInt32? {
    switch value {
    case .int32(let number): UInt32(exactly: number)
    case .int64(let number): UInt32(exactly: number)
    default: nil
    }
  }

  static func regularExpression(_ parts: Document) -> Value? {
    guard parts.elements.count == 2, case .string(let pattern) = parts["pattern"],
      case .string(let options) = parts["options"]
    else { return nil }
    return .regularExpression(RegularExpression(pattern: pattern, sorting: options))
  }

  static func legacyRegularExpression(_ document: Document) -> Value? {
    guard case .string(let pattern) = document["$regex"] else { return nil }
    switch document["$options"] {
    case nil: return .regularExpression(RegularExpression(pattern: pattern, options: ""))
    case .string(let options):
      return .regularExpression(RegularExpression(pattern: pattern, sorting: options))
    default: return nil
    }
  }

  static func dbPointer(_ parts: Document) -> Value? {
    guard parts.elements.count == 2, case .string(let namespace) = parts["$ref"],
      case .objectID(let id) = parts["$id"]
    else { return nil }
    return .dbPointer(namespace: namespace, id: id)
  }
}

extension RegularExpression {
  /// Puts the options in alphabetical order, as BSON wants them.
  init(pattern: String, sorting options: String) {
    self.init(pattern: pattern, options: String(options.sorted()))
  }
}

extension Value {
  /// A binary, or the UUID that it is.
  init(binary bytes: [UInt8], subtype: UInt8) {
    guard subtype == 4, bytes.count == 16 else {
      self = .binary(Binary(subtype: subtype, bytes: bytes))
      return
    }
    let words = bytes.withUnsafeBytes { raw in
      (0..<2).map { UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
    }
    self = .uuid(UUID(high: words[0], low: words[1]))
  }
}

extension FixedWidthInteger {
  /// A minus or nothing, then digits: what the standard library reads, but for a plus.
  init?(strict text: String) {
    guard text.utf8.first != 0x2B else { return nil }
    self.init(text)
  }
}

extension Double {
  /// The text of a `$numberDouble`: a JSON number, `Infinity`, `-Infinity` or `NaN`.
  init?(extendedJSON text: String) {
    switch text {
    case "Infinity": self = .infinity
    case "-Infinity": self = -.infinity
    case "NaN": self = .nan
    default:
      guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }),
        let double = Double(text), double.isFinite
      else { return nil }
      self = double
    }
  }
}
