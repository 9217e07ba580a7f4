import GatehouseBSON

/// `$convert` and its short forms.
enum Conversion {
  static func convert(_ value: Value?, to type: String) throws(DocumentsError) -> Value {
    guard let value, !value.isNullish else { return .null }
    let result: Value? =
      switch type {
      case "double": try double(value)
      case "string": string(value)
      case "bool": .bool(Optional(value).isTrue)
      case "int": try integer(value, in: Int64(Int32.min)...Int64(Int32.max)).map { .integer($0) }
      case "long": try integer(value, in: .min ... .max).map { .int64($0) }
      case "decimal": try decimal(value)
      case "date": try date(value)
      case "objectId": try objectID(value)
      default: throw .badValue("Unknown type name: \(type)")
      }
    guard let result else {
      throw DocumentsError(
        .conversionFailure,
        "Unsupported conversion from \(value.typeName) to \(type) in $convert with no onError value")
    }
    return result
  }

  private static func failure(_ reason: String) -> DocumentsError {
    DocumentsError(.conversionFailure, "\(reason) in $convert with no onError value")
  }

  private static func double(_ value: Value) throws(DocumentsError) -> Value? {
    switch value {
    case .bool(let bool): return .double(bool ? 1 : 0)
    case .date(let date): return .double(Double(date.milliseconds))
    case .string(let text):
      guard let number = number(text), let double = Double(number) else {
        throw failure("Failed to parse number")
      }
      return .double(double)
    default: return value.asDouble.map { .double($0) }
    }
  }

  /// The text if it can be a number: without white space, and no hexadecimal one.
  private static func number(_ text: String) -> String? {
    let isPlain = text.utf8.allSatisfy {
      $0 &- 0x30 < 10 || "+-.eEinftyINFTYaA".utf8.contains($0)
    }
    return isPlain && !text.isEmpty ? text : nil
  }

  private static func string(_ value: Value) -> Value? {
    switch value {
    case .string: value
    case .symbol(let text): .string(text)
    case .bool(let bool): .string(bool ? "true" : "false")
    case .int32(let int): .string(String(int))
    case .int64(let int): .string(String(int))
    case .double(let double): .string(ValueText.text(of: double))
    case .decimal128(let decimal): .string(decimal.description)
    case .objectID(let id): .string(id.description)
    case .date(let date): .string(ValueText.text(of: date))
    case .uuid(let uuid): .string(uuid.description)
    default: nil
    }
  }

  private static func integer(_ value: Value, in range: ClosedRange<Int64>) throws(DocumentsError) -> Int64? {
    let integer: Int64?
    switch value {
    case .bool(let bool): integer = bool ? 1 : 0
    case .int32, .int64: integer = value.asInteger
    case .double(let double):
      if double.isNaN || double.isInfinite {
        throw failure("Attempt to convert NaN or infinity value to integer type")
      }
      integer = Int64(exactly: double.rounded(.towardZero))
    case .decimal128(let decimal):
      if decimal.isNaN || decimal.isInfinite {
        throw failure("Attempt to convert NaN or infinity value to integer type")
      }
      let whole: Decimal128 = decimal.rounded(.towardZero, places: 0)
      integer = Int64(exactly: whole)
    case .date(let date):
      integer = range == .min ... .max ? date.milliseconds : nil
      if integer == nil { return nil }
    case .string(let text):
      let digits = text.utf8.first == UInt8(ascii: "+") ? String(text.dropFirst()) : text
      guard let parsed = Int64(digits, radix: 10), digits.utf8.first != UInt8(ascii: "+") else {
        throw failure("Failed to parse number")
      }
      integer = parsed
    default: return nil
    }
    guard let integer, range.contains(integer) else {
      throw failure("Conversion would overflow target type")
    }
    return integer
  }

  private static func decimal(_ value: Value) throws(DocumentsError) -> Value? {
    switch value {
    case .bool(let bool): return .decimal128(Decimal128(bool ? 1 as Int64 : 0))
    case .date(let date): return .decimal128(Decimal128(date.milliseconds))
    case .string(let text):
      guard let decimal = Decimal128(text) else { throw failure("Failed to parse number") }
      return .decimal128(decimal)
    default: return Number(value).map { .decimal128($0.decimal) }
    }
  }

  private static func date(_ value: Value) throws(DocumentsError) -> Value? {
    switch value {
    case .date: return value
    case .int64(let int): return .date(Date(milliseconds: int))
    case .double, .decimal128:
      return .date(Date(milliseconds: try integer(value, in: .min ... .max) ?? 0))
    case .objectID(let id): return .date(Date(seconds: Int64(id.high >> 32)))
    case .timestamp(let timestamp): return .date(Date(seconds: Int64(timestamp.time)))
    case .string(let text):
      guard let date = DateText.parse(text) else { throw failure("Error parsing date string") }
      return .date(date)
    default: return nil
    }
  }

  private static func objectID(_ value: Value) throws(DocumentsError) -> Value? {
    switch value {
    case .objectID: return value
    case .string(let text):
      guard let id = ObjectID(text) else {
        throw failure("Failed to parse objectId in $convert: Invalid string length or character")
      }
      return .objectID(id)
    default: return nil
    }
  }
}

extension ExpressionFunction {
  static let types: [ExpressionFunction] = [
    ExpressionFunction("$type", 1...1) { .string($0[0].typeName) },
    ExpressionFunction("$isNumber", 1...1) { .bool($0[0]?.isNumber ?? false) },
    conversion("$toDouble", "double"), conversion("$toInt", "int"), conversion("$toLong", "long"),
    conversion("$toDecimal", "decimal"), conversion("$toBool", "bool"), conversion("$toDate", "date"),
    conversion("$toObjectId", "objectId"),
    strict("$bsonSize") { values throws(DocumentsError) in
      guard let document = values[0].asDocument, let bytes = try? document.bson() else {
        throw .at(31393, "$bsonSize requires a document input, found: \(values[0].typeName)")
      }
      return .count(bytes.count)
    },
    strict("$binarySize") { values throws(DocumentsError) in
      if let binary = values[0].binary { return .count(binary.bytes.count) }
      guard let text = values[0].text else {
        throw .at(51276, "$binarySize requires a string or BinData argument, found: \(values[0].typeName)")
      }
      return .count(text.utf8.count)
    },
  ]

  private static func conversion(_ name: String, _ type: String) -> ExpressionFunction {
    ExpressionFunction(name, 1...1) { values throws(DocumentsError) in
      try Conversion.convert(values[0], to: type)
    }
  }
}

extension NamedFunction {
  static let conversions: [NamedFunction] = [
    NamedFunction(
      "$convert", ["input", "to", "onError", "onNull"], required: ["input", "to"]
    ) { arguments throws(DocumentsError) in
      guard let input = arguments["input"], !input.isNullish else {
        return arguments.has("onNull") ? arguments["onNull"] : .null
      }
      guard let target = arguments["to"], !target.isNullish else { return .null }
      let type: String
      if case .string(let name) = target {
        type = name
      } else if let number = target.asInteger,
        let name = Value.typeNumbers.first(where: { $0.number == number })
      {
        type = name.name
      } else {
        throw .failedToParse("$convert's 'to' argument must be a string or number, but is \(target.typeName)")
      }
      do throws(DocumentsError) {
        return try Conversion.convert(input, to: type)
      } catch {
        if error.code == .conversionFailure, arguments.has("onError") { return arguments["onError"] }
        throw error
      }
    }
  ]
}
