public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A value of any type that a property can have.
public enum AnyRealmValue: Hashable {
  /// No value.
  case none
  /// A whole number.
  case int(Int)
  /// A truth value.
  case bool(Bool)
  /// A floating point number of 32 bits.
  case float(Float)
  /// A floating point number of 64 bits.
  case double(Double)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A point in time.
  case date(Date)
  /// A link to an object.
  case object(Object)
  /// An identifier of an object.
  case objectId(ObjectId)
  /// A decimal number.
  case decimal128(Decimal128)
  /// A universally unique identifier.
  case uuid(UUID)
  /// Values by keys.
  case dictionary(Map<String, AnyRealmValue>)
  /// Values in order.
  case list(List<AnyRealmValue>)

  /// No value.
  public init() { self = .none }

  /// A dictionary of values.
  public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
    let map = Map<String, AnyRealmValue>()
    for (key, value) in dictionary { map.updateValue(value, forKey: key) }
    return .dictionary(map)
  }

  /// A list of values.
  public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue { .list(List(elements: array)) }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .int(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .decimal128(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .dictionary: hasher.combine(12)
    case .list: hasher.combine(13)
    }
  }
}

extension AnyRealmValue {
  /// The whole number; nil where it is anything else.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The truth value; nil where it is anything else.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The floating point number of 32 bits; nil where it is anything else.
  public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
  /// The floating point number of 64 bits; nil where it is anything else.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The text; nil where it is anything else.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes; nil where it is anything else.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The point in time; nil where it is anything else.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
  /// The identifier of an object; nil where it is anything else.
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
  /// The decimal number; nil where it is anything else.
  public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
  /// The universally unique identifier; nil where it is anything else.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
  /// The values by keys; nil where it is anything else.
  public var dictionaryValue: Map<String, AnyRealmValue>? {
    if case .dictionary(let value) = self { value } else { nil }
  }
  /// The values in order; nil where it is anything else.
  public var listValue: List<AnyRealmValue>? { if case .list(let value) = self { value } else { nil } }

  /// The object, if it is of the class.
  public func object<T: Object>(_ objectType: T.Type) -> T? {
    if case .object(let value) = self { value as? T } else { nil }
  }

  /// The object, whose properties are found by their names.
  public var dynamicObject: DynamicObject? {
    guard case .object(let object) = self, let accessor = object.accessor else { return nil }
    let dynamic = DynamicObject()
    dynamic.accessor = accessor
    return dynamic
  }
}

extension AnyRealmValue: _Persistable, _DefaultConstructible, RealmCollectionValue {
  /// The type that values are stored as.
  public typealias PersistedType = AnyRealmValue
  public static var _rlmType: PropertyType { .any }
  public static var _rlmOptional: Bool { true }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> AnyRealmValue? {
    switch value.value {
    case .null: return AnyRealmValue.none
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(Int(value))
    case .float(let value): return .float(value)
    case .double(let value): return .double(value)
    case .decimal128(let value): return .decimal128(Decimal128(value))
    case .string(let value): return .string(value)
    case .data(let value): return .data(Data(value))
    case .date(let value): return .date(Date(value))
    case .objectID(let value): return .objectId(ObjectId(value))
    case .uuid(let value): return .uuid(UUID(value))
    case .link: return Object._rlmFromStored(value).map { .object($0) } ?? AnyRealmValue.none
    case .list(let values):
      if let place = value.place, let realm = value.realm {
        return .list(List(CollectionPlace(place, isMap: false, in: realm)))
      }
      return fromArray(values.compactMap { _rlmFromStored(_RealmStoredValue($0, in: value.realm)) })
    case .dictionary(let entries):
      if let place = value.place, let realm = value.realm {
        return .dictionary(Map(CollectionPlace(place, isMap: true, in: realm)))
      }
      let values = entries.map { entry in
        (entry.key, _rlmFromStored(_RealmStoredValue(entry.value, in: value.realm)) ?? AnyRealmValue.none)
      }
      return fromDictionary(Dictionary(values) { first, _ in first })
    }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    switch self {
    case .none: _RealmDraftValue(.null)
    case .int(let value): value._rlmDraft(in: context)
    case .bool(let value): value._rlmDraft(in: context)
    case .float(let value): value._rlmDraft(in: context)
    case .double(let value): value._rlmDraft(in: context)
    case .string(let value): value._rlmDraft(in: context)
    case .data(let value): value._rlmDraft(in: context)
    case .date(let value): value._rlmDraft(in: context)
    case .object(let value): value._rlmDraft(in: context)
    case .objectId(let value): value._rlmDraft(in: context)
    case .decimal128(let value): value._rlmDraft(in: context)
    case .uuid(let value): value._rlmDraft(in: context)
    case .dictionary(let value): value._rlmDraft(in: context)
    case .list(let value): value._rlmDraft(in: context)
    }
  }

  public static func _rlmFromAny(_ value: Any) -> AnyRealmValue? {
    guard let value = DynamicValue.unwrapped(value) else { return AnyRealmValue.none }
    switch value {
    case let value as AnyRealmValue: return value
    case let value as Bool: return .bool(value)
    case let value as any BinaryInteger: return Int(exactly: value).map { .int($0) }
    case let value as Float: return .float(value)
    case let value as Double: return .double(value)
    case let value as String: return .string(value)
    case let value as Data: return .data(value)
    case let value as Date: return .date(value)
    case let value as Object: return .object(value)
    case let value as ObjectId: return .objectId(value)
    case let value as Decimal128: return .decimal128(value)
    case let value as UUID: return .uuid(value)
    case let value as NSNumber:
      return value.isFloatingPoint ? .double(value.doubleValue) : .int(value.intValue)
    default: return collection(value)
    }
  }

  private static func collection(_ value: Any) -> AnyRealmValue? {
    if let entries = DynamicValue.entries(of: value) {
      let map = Map<String, AnyRealmValue>()
      for (key, value) in entries {
        guard let value = _rlmFromAny(value) else { return nil }
        map.updateValue(value, forKey: key)
      }
      return .dictionary(map)
    }
    guard let sequence = value as? any Sequence else { return nil }
    var values: [AnyRealmValue] = []
    for element in DynamicValue.elements(of: sequence) {
      guard let element = _rlmFromAny(element) else { return nil }
      values.append(element)
    }
    return fromArray(values)
  }

  public var _rlmAny: Any {
    switch self {
    case .none: (nil as Any?) as Any
    case .int(let value): value
    case .bool(let value): value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .object(let value): value
    case .objectId(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    case .dictionary(let value): value
    case .list(let value): value
    }
  }
}

extension AnyRealmValue: MinMaxType, AddableType, SortableType {}
