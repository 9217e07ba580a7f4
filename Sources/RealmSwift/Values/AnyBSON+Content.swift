public import Foundation

/// The value in its own type; nil where it is of another one.
extension AnyBSON {
  /// The 32-bit integer; nil where it is anything else.
  public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }
  /// The regular expression; nil where it is anything else.
  public var regexValue: NSRegularExpression? { if case .regex(let value) = self { value } else { nil } }
  /// The 64-bit integer; nil where it is anything else.
  public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }
  /// The identifier of an object; nil where it is anything else.
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
  /// The point in time; nil where it is anything else.
  public var dateValue: Date? { if case .datetime(let value) = self { value } else { nil } }
  /// The values in order; nil where it is anything else.
  public var arrayValue: [AnyBSON?]? { if case .array(let value) = self { value } else { nil } }
  /// The text; nil where it is anything else.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The named values; nil where it is anything else.
  public var documentValue: Document? { if case .document(let value) = self { value } else { nil } }
  /// The truth value; nil where it is anything else.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The bytes; nil where it is anything else.
  public var binaryValue: Data? { if case .binary(let value) = self { value } else { nil } }
  /// The floating point number; nil where it is anything else.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The decimal number; nil where it is anything else.
  public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
  /// The timestamp; nil where it is anything else.
  public var timestampValue: Date? { if case .timestamp(let value) = self { value } else { nil } }
  /// The universally unique identifier; nil where it is anything else.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
  /// Whether there is no value.
  public var isNull: Bool { self == .null }

  /// Returns the number as an Int if it is one exactly.
  public func asInt() -> Int? { asInt64().flatMap { Int(exactly: $0) } }

  /// Returns the number as an Int32 if it is one exactly.
  public func asInt32() -> Int32? { asInt64().flatMap { Int32(exactly: $0) } }

  /// Returns the number as an Int64 if it is one exactly.
  public func asInt64() -> Int64? {
    switch self {
    case .int32(let value): Int64(value)
    case .int64(let value): value
    case .double(let value): Int64(exactly: value)
    case .decimal128(let value): value.exactInt64
    case .string, .document, .array, .binary, .objectId, .bool, .datetime, .regex, .timestamp, .uuid, .minKey,
      .maxKey, .null:
      nil
    }
  }

  /// Returns the number as a Double, of large integers the nearest one.
  public func asDouble() -> Double? {
    switch self {
    case .double(let value): value
    case .int32(let value): Double(value)
    case .int64(let value): Double(value)
    case .decimal128(let value):
      Decimal128(number: value.doubleValue) == value ? value.doubleValue : nil
    case .string, .document, .array, .binary, .objectId, .bool, .datetime, .regex, .timestamp, .uuid, .minKey,
      .maxKey, .null:
      nil
    }
  }

  /// Returns the number as a Decimal128.
  public func asDecimal128() -> Decimal128? {
    switch self {
    case .decimal128(let value): value
    case .double(let value): Decimal128(number: value)
    case .int32(let value): Decimal128(number: value)
    case .int64(let value): Decimal128(number: value)
    case .string, .document, .array, .binary, .objectId, .bool, .datetime, .regex, .timestamp, .uuid, .minKey,
      .maxKey, .null:
      nil
    }
  }

  /// Returns the value in the type that is asked for; nil where it is of another one.
  public func value<T: BSON>() -> T? {
    switch self {
    case .int32(let value): value as? T ?? Int(value) as? T
    case .int64(let value): value as? T ?? Int(exactly: value) as? T
    case .bool(let value): value as? T
    case .double(let value): value as? T
    case .string(let value): value as? T
    case .binary(let value): value as? T
    case .datetime(let value): value as? T
    case .timestamp(let value): value as? T
    case .decimal128(let value): value as? T
    case .objectId(let value): value as? T
    case .regex(let value): value as? T
    case .array(let value): value as? T
    case .document(let value): value as? T
    case .uuid(let value): value as? T
    case .maxKey: MaxKey() as? T
    case .minKey: MinKey() as? T
    case .null: nil
    }
  }
}
