public import GatehouseBSON

extension Value {
  /// The name of the type as `$type` has it.
  public var typeName: String {
    switch self {
    case .double: "double"
    case .string: "string"
    case .document: "object"
    case .array: "array"
    case .binary, .uuid: "binData"
    case .undefined: "undefined"
    case .objectID: "objectId"
    case .bool: "bool"
    case .date: "date"
    case .null: "null"
    case .regularExpression: "regex"
    case .dbPointer: "dbPointer"
    case .javaScript: "javascript"
    case .symbol: "symbol"
    case .javaScriptWithScope: "javascriptWithScope"
    case .int32: "int"
    case .timestamp: "timestamp"
    case .int64: "long"
    case .decimal128: "decimal"
    case .minKey: "minKey"
    case .maxKey: "maxKey"
    }
  }

  /// The names of the types, and the numbers that `$type` knows them by.
  static let typeNumbers: [(name: String, number: Int64)] = [
    ("double", 1), ("string", 2), ("object", 3), ("array", 4), ("binData", 5), ("undefined", 6),
    ("objectId", 7), ("bool", 8), ("date", 9), ("null", 10), ("regex", 11), ("dbPointer", 12),
    ("javascript", 13), ("symbol", 14), ("javascriptWithScope", 15), ("int", 16), ("timestamp", 17),
    ("long", 18), ("decimal", 19), ("minKey", -1), ("maxKey", 127),
  ]

  var isNumber: Bool { rank == Value.numberRank }

  var isNaN: Bool {
    switch self {
    case .double(let double): double.isNaN
    case .decimal128(let decimal): decimal.isNaN
    default: false
    }
  }

  /// Null or one that is out of use and stands for it.
  var isNullish: Bool {
    switch self {
    case .null, .undefined: true
    default: false
    }
  }

  var asDocument: Document? {
    if case .document(let document) = self { document } else { nil }
  }

  var asArray: [Value]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The double nearest to a number.
  var asDouble: Double? {
    switch self {
    case .int32(let int): Double(int)
    case .int64(let int): Double(int)
    case .double(let double): double
    case .decimal128(let decimal): decimal.double
    default: nil
    }
  }

  /// The integer that a number is exactly.
  var asInteger: Int64? {
    switch self {
    case .int32(let int): Int64(int)
    case .int64(let int): int
    case .double(let double): Int64(exactly: double)
    case .decimal128(let decimal): Int64(exactly: decimal)
    default: nil
    }
  }

  /// The smallest of the two types that holds the integer.
  static func integer(_ integer: Int64) -> Value {
    Int32(exactly: integer).map { .int32($0) } ?? .int64(integer)
  }

  static func count(_ count: Int) -> Value { integer(Int64(count)) }

  /// Bytes of memory that it takes, about.
  public var memory: Int {
    switch self {
    case .string(let text), .symbol(let text), .javaScript(let text): 32 + text.utf8.count
    case .binary(let binary): 48 + binary.bytes.count
    case .document(let document): document.memory
    case .array(let values): values.reduce(48) { $0 + $1.memory }
    default: 32
    }
  }
}

extension Document {
  /// Bytes of memory that it takes, about.
  public var memory: Int {
    elements.reduce(64) { $0 + 16 + $1.key.utf8.count + $1.value.memory }
  }
}

extension Value? {
  /// Whether an expression takes it for true: all but false, null, zero and what is missing.
  var isTrue: Bool {
    switch self {
    case nil, .null?, .undefined?: return false
    case .bool(let bool)?: return bool
    case let value?: return value.isNumber ? value.isNaN || NumberOrder.compare(value, .int32(0)) != 0 : true
    }
  }

  /// Missing, null, or undefined.
  var isNullish: Bool { self?.isNullish ?? true }

  /// The name of the type, `missing` where there is no value.
  var typeName: String { self?.typeName ?? "missing" }
}
