import GatehouseBSON
import GatehouseQuery

extension ExpressionFunction {
  /// The text, or an error that names the operator.
  static func string(_ value: Value, _ name: String) throws(DocumentsError) -> String {
    guard case .string(let text) = value else {
      throw .at(16702, "\(name) only supports strings, not \(value.typeName)")
    }
    return text
  }

  /// The text of a value where texts are wanted and others may be given: null is the empty text.
  private static func coerced(_ value: Value?, _ name: String) throws(DocumentsError) -> String {
    switch value {
    case nil, .null?, .undefined?: return ""
    case .string(let text)?, .symbol(let text)?, .javaScript(let text)?: return text
    case .int32(let int)?: return String(int)
    case .int64(let int)?: return String(int)
    case .double(let double)?: return ValueText.text(of: double)
    case .decimal128(let decimal)?: return decimal.description
    case .date(let date)?: return ValueText.text(of: date)
    default: throw .at(16007, "can't convert from BSON type \(value.typeName) to String")
    }
  }

  /// Throws where a value would be too large.
  static func checkSize(_ bytes: Int, _ name: String) throws(DocumentsError) {
    if bytes > Value.sizeLimit {
      throw DocumentsError(.exceededMemoryLimit, "\(name) would make a value that is too large")
    }
  }

  static let strings: [ExpressionFunction] = [
    strict("$concat", any) { values throws(DocumentsError) in
      var text = ""
      for value in values {
        text += try string(value, "$concat")
        try checkSize(text.utf8.count, "$concat")
      }
      return .string(text)
    },
    ExpressionFunction("$toLower", 1...1) { values throws(DocumentsError) in
      .string(mapped(try coerced(values[0], "$toLower")) { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 })
    },
    ExpressionFunction("$toUpper", 1...1) { values throws(DocumentsError) in
      .string(mapped(try coerced(values[0], "$toUpper")) { 0x61...0x7A ~= $0 ? $0 - 0x20 : $0 })
    },
    ExpressionFunction("$strcasecmp", 2...2) { values throws(DocumentsError) in
      let left = mapped(try coerced(values[0], "$strcasecmp")) { 0x61...0x7A ~= $0 ? $0 - 0x20 : $0 }
      let right = mapped(try coerced(values[1], "$strcasecmp")) { 0x61...0x7A ~= $0 ? $0 - 0x20 : $0 }
      return .int32(Int32(ValueOrder.compareBytes(left, right)))
    },
    strict("$strLenBytes") { values throws(DocumentsError) in
      .count(try string(values[0], "$strLenBytes").utf8.count)
    },
    strict("$strLenCP") { values throws(DocumentsError) in
      .count(try string(values[0], "$strLenCP").unicodeScalars.count)
    },
    substring("$substrBytes"), substring("$substr"),
    ExpressionFunction("$substrCP", 3...3) { values throws(DocumentsError) in
      let scalars = Array(try coerced(values[0], "$substrCP").unicodeScalars)
      let start = try integer(values[1] ?? .null, "$substrCP")
      let count = try integer(values[2] ?? .null, "$substrCP")
      if start < 0 || count < 0 {
        throw .at(34454, "$substrCP: starting index and length must be non-negative integers")
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars.dropFirst(start).prefix(count))
      return .string(text)
    },
    strict("$split", 2...2) { values throws(DocumentsError) in
      let text = try string(values[0], "$split")
      let separator = try string(values[1], "$split")
      if separator.isEmpty { throw .at(40087, "$split requires a non-empty separator") }
      return .array(parts(of: text, separator).map { .string($0) })
    },
    strict("$indexOfBytes", 2...4) { values throws(DocumentsError) in
      let text = Array(try string(values[0], "$indexOfBytes").utf8)
      let part = try string(values[1], "$indexOfBytes")
      let (start, end) = try bounds(values, "$indexOfBytes", count: text.count)
      guard start <= end else { return .int32(-1) }
      let place = SubstringSearch(Array(part.utf8)).first(in: Array(text[..<end]), from: start)
      return .count(place ?? -1)
    },
    strict("$indexOfCP", 2...4) { values throws(DocumentsError) in
      let text = Array(try string(values[0], "$indexOfCP").unicodeScalars)
      let part = try string(values[1], "$indexOfCP")
      let (start, end) = try bounds(values, "$indexOfCP", count: text.count)
      guard start <= end else { return .int32(-1) }
      var searched = ""
      searched.unicodeScalars.append(contentsOf: text[start..<end])
      let bytes = Array(searched.utf8)
      guard let place = SubstringSearch(Array(part.utf8)).first(in: bytes, from: 0) else { return .int32(-1) }
      return .count(start + String(decoding: bytes[..<place], as: UTF8.self).unicodeScalars.count)
    },
  ]

  private static func mapped(_ text: String, _ byte: (UInt8) -> UInt8) -> String {
    String(decoding: text.utf8.map(byte), as: UTF8.self)
  }

  private static func substring(_ name: String) -> ExpressionFunction {
    ExpressionFunction(name, 3...3) { values throws(DocumentsError) in
      let text = Array(try coerced(values[0], name).utf8)
      guard let start = values[1]?.asInteger, let count = values[2]?.asInteger else {
        throw .at(16034, "\(name): starting index and length must be numbers")
      }
      if start < 0 { throw .at(50752, "\(name): starting index must be non-negative") }
      let first = Int(min(start, Int64(text.count)))
      let end = count < 0 ? text.count : first + Int(min(count, Int64(text.count - first)))
      let isInside = { (place: Int) in place < text.count && text[place] & 0xC0 == 0x80 }
      if isInside(first) || isInside(end) {
        throw .at(28656, "\(name): Invalid range, begins or ends in the middle of a UTF-8 character.")
      }
      return .string(String(decoding: text[first..<end], as: UTF8.self))
    }
  }

  /// The parts of a text between separators.
  static func parts(of text: String, _ separator: String) -> [String] {
    let (bytes, search) = (Array(text.utf8), SubstringSearch(Array(separator.utf8)))
    var parts: [String] = []
    var start = 0
    while let place = search.first(in: bytes, from: start) {
      parts.append(String(decoding: bytes[start..<place], as: UTF8.self))
      start = place + separator.utf8.count
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }

  static let stringParts: [ExpressionFunction] = [
    ExpressionFunction("$toString", 1...1) { values throws(DocumentsError) in
      try Conversion.convert(values[0], to: "string")
    }
  ]
}
