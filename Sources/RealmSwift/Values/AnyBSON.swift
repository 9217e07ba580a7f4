public import Foundation

/// A value of any type that BSON has.
@frozen
public enum AnyBSON: BSON, Hashable, Sendable {
  /// A floating point number.
  case double(Double)
  /// A text.
  case string(String)
  /// Named values.
  indirect case document(Document)
  /// Values in order.
  indirect case array([AnyBSON?])
  /// Bytes.
  case binary(Data)
  /// An identifier of an object.
  case objectId(ObjectId)
  /// A truth value.
  case bool(Bool)
  /// A point in time, in milliseconds.
  case datetime(Date)
  /// A regular expression.
  case regex(NSRegularExpression)
  /// A 32-bit integer.
  case int32(Int32)
  /// A point in time, in seconds.
  case timestamp(Date)
  /// A 64-bit integer.
  case int64(Int64)
  /// A decimal number.
  case decimal128(Decimal128)
  /// A universally unique identifier.
  case uuid(UUID)
  /// The least value.
  case minKey
  /// The greatest value.
  case maxKey
  /// No value.
  case null

  /// Creates a 64-bit integer.
  public init(_ int: Int) {
    self = .int64(Int64(int))
  }

  /// Creates a value from one of the types that BSON has; null from any other.
  public init<T: BSON>(_ bson: T) {
    switch bson {
    case let value as Int: self = .int64(Int64(value))
    case let value as Int32: self = .int32(value)
    case let value as Int64: self = .int64(value)
    case let value as Double: self = .double(value)
    case let value as String: self = .string(value)
    case let value as Data: self = .binary(value)
    case let value as Date: self = .datetime(value)
    case let value as Decimal128: self = .decimal128(value)
    case let value as UUID: self = .uuid(value)
    case let value as ObjectId: self = .objectId(value)
    case let value as Document: self = .document(value)
    case let value as [AnyBSON?]: self = .array(value)
    case let value as Bool: self = .bool(value)
    case is MaxKey: self = .maxKey
    case is MinKey: self = .minKey
    case let value as NSRegularExpression: self = .regex(value)
    case let value as AnyBSON: self = value
    default: self = .null
    }
  }
}

extension AnyBSON: ExpressibleByStringLiteral {
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension AnyBSON: ExpressibleByBooleanLiteral {
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension AnyBSON: ExpressibleByFloatLiteral {
  /// Creates a floating point number.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension AnyBSON: ExpressibleByIntegerLiteral {
  /// Creates a 64-bit integer.
  public init(integerLiteral value: Int) { self = .int64(Int64(value)) }
}

extension AnyBSON: ExpressibleByDictionaryLiteral {
  /// Creates a document; of values of one name the last counts.
  public init(dictionaryLiteral elements: (String, AnyBSON?)...) {
    self = .document(Document(elements, uniquingKeysWith: { $1 }))
  }
}

extension AnyBSON: ExpressibleByArrayLiteral {
  /// Creates an array.
  public init(arrayLiteral elements: AnyBSON?...) { self = .array(elements) }
}
