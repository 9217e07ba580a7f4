public import Foundation
import GatehouseModel

/// A whole number.
public protocol _Int: BinaryInteger, _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey,
  _Indexable
{}

extension _Int {
  public static var _rlmType: PropertyType { .int }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? {
    if case .int(let number) = value.value { Self(truncatingIfNeeded: number) } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.int(Int64(self)))
  }

  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let value = value as? Self { return value }
    return DynamicNumber.integer(value).flatMap { Self(exactly: $0) }
  }
}

extension Int: _Int { public typealias PersistedType = Int }
extension Int8: _Int { public typealias PersistedType = Int8 }
extension Int16: _Int { public typealias PersistedType = Int16 }
extension Int32: _Int { public typealias PersistedType = Int32 }
extension Int64: _Int { public typealias PersistedType = Int64 }

extension Bool: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable {
  /// The type that values are stored as.
  public typealias PersistedType = Bool
  public static var _rlmType: PropertyType { .bool }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Bool? {
    if case .bool(let value) = value.value { value } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue { _RealmDraftValue(.bool(self)) }

  public static func _rlmFromAny(_ value: Any) -> Bool? {
    if let value = value as? Bool { return value }
    return switch DynamicNumber.integer(value) {
    case 0: false
    case 1: true
    default: nil
    }
  }
}

extension Float: _PersistableInsideOptional, _DefaultConstructible {
  /// The type that values are stored as.
  public typealias PersistedType = Float
  public static var _rlmType: PropertyType { .float }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Float? {
    if case .float(let value) = value.value { value } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue { _RealmDraftValue(.float(self)) }

  public static func _rlmFromAny(_ value: Any) -> Float? {
    if let value = value as? Float { return value }
    return DynamicNumber.double(value).map { Float($0) }
  }
}

extension Double: _PersistableInsideOptional, _DefaultConstructible {
  /// The type that values are stored as.
  public typealias PersistedType = Double
  public static var _rlmType: PropertyType { .double }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Double? {
    if case .double(let value) = value.value { value } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.double(self))
  }

  public static func _rlmFromAny(_ value: Any) -> Double? {
    if let value = value as? Double { return value }
    return DynamicNumber.double(value)
  }
}

extension String: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable {
  /// The type that values are stored as.
  public typealias PersistedType = String
  public static var _rlmType: PropertyType { .string }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> String? {
    if case .string(let value) = value.value { value } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.string(self))
  }

  public static func _rlmFromAny(_ value: Any) -> String? {
    if let value = value as? String { return value }
    return (value as? Substring).map { String($0) }
  }
}

extension Data: _PersistableInsideOptional, _DefaultConstructible {
  /// The type that values are stored as.
  public typealias PersistedType = Data
  public static var _rlmType: PropertyType { .data }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Data? {
    if case .data(let bytes) = value.value { Data(bytes) } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.data([UInt8](self)))
  }
}

extension Date: _PersistableInsideOptional, _DefaultConstructible, _Indexable {
  /// The type that values are stored as.
  public typealias PersistedType = Date
  public static var _rlmType: PropertyType { .date }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Date? {
    if case .date(let stored) = value.value { Date(stored) } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.date(stored))
  }
}

extension UUID: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable {
  /// The type that values are stored as.
  public typealias PersistedType = UUID
  public static var _rlmType: PropertyType { .UUID }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> UUID? {
    if case .uuid(let stored) = value.value { UUID(stored) } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.uuid(stored))
  }

  public static func _rlmFromAny(_ value: Any) -> UUID? {
    if let value = value as? UUID { return value }
    return (value as? String).flatMap { UUID(uuidString: $0) }
  }
}

extension ObjectId: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable {
  public static func _rlmDefaultValue() -> ObjectId { .generate() }
  /// The type that values are stored as.
  public typealias PersistedType = ObjectId
  public static var _rlmType: PropertyType { .objectId }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> ObjectId? {
    if case .objectID(let stored) = value.value { ObjectId(stored) } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.objectID(stored))
  }
}

extension Decimal128: _PersistableInsideOptional, _DefaultConstructible {
  /// The type that values are stored as.
  public typealias PersistedType = Decimal128
  public static var _rlmType: PropertyType { .decimal128 }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Decimal128? {
    if case .decimal128(let stored) = value.value { Decimal128(stored) } else { nil }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.decimal128(stored))
  }

  public static func _rlmFromAny(_ value: Any) -> Decimal128? { number(of: value) }
}

extension Double: MinMaxType, AddableType, SortableType {}
extension Float: MinMaxType, AddableType, SortableType {}
extension Int: MinMaxType, AddableType, SortableType {}
extension Int8: MinMaxType, AddableType, SortableType {}
extension Int16: MinMaxType, AddableType, SortableType {}
extension Int32: MinMaxType, AddableType, SortableType {}
extension Int64: MinMaxType, AddableType, SortableType {}
extension Decimal128: MinMaxType, AddableType, SortableType {}
extension Date: MinMaxType, SortableType {}
extension Data: SortableType {}
extension String: SortableType {}

/// Reads numbers whose types are not known before.
enum DynamicNumber {
  /// Returns a whole number of any type; nil: the value is none.
  static func integer(_ value: Any) -> Int64? {
    switch value {
    case let number as any BinaryInteger: Int64(exactly: number)
    case let number as Double: Int64(exactly: number)
    case let number as Float: Int64(exactly: number)
    case let number as NSNumber:
      number.isFloatingPoint ? Int64(exactly: number.doubleValue) : number.int64Value
    default: nil
    }
  }

  /// Returns a number of any type; nil: the value is none.
  static func double(_ value: Any) -> Double? {
    switch value {
    case is Bool: nil
    case let number as Double: number
    case let number as Float: Double(number)
    case let number as any BinaryInteger: Double(number)
    case let number as NSNumber: number.doubleValue
    default: nil
    }
  }
}
