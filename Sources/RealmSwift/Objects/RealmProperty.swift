import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A property without `@Persisted`: of a class all of whose properties are such. It is a value itself, which its object's Realm stores.
protocol PlainField: PersistedField {}

extension PlainField {
  static var keyOffset: Int? { nil }
}

/// The base of values that are properties without `@Persisted`.
public class RLMSwiftValueStorage {
  /// The object that has the property; nil: it is in no Realm.
  fileprivate weak var owner: ObjectBase?
  fileprivate var key: PropertyKey = 0

  /// The value as dynamic access shows it.
  fileprivate func read(_ unmanaged: Any) -> Any {
    guard let owner, let accessor = owner.accessor else {
      if let trace = owner?.trace {
        owner.map { trace.names.append($0.layout.fields[Int(key)].property.name) }
      }
      return unmanaged
    }
    let value = accessor.value(of: key)
    return DynamicValue.any(value, in: accessor.context, at: accessor.place(of: value, key))
      ?? (nil as Any?) as Any
  }

  /// Sets the value of a managed object; false: the object is in no Realm.
  fileprivate func write(_ value: Any) -> Bool {
    guard let accessor = owner?.accessor else { return false }
    accessor.set(accessor.property(key).name, toAny: value)
    return true
  }
}

/// A type that ``RealmProperty`` holds.
public protocol RealmPropertyType: _ObjcBridgeable, _RealmSchemaDiscoverable {}

extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType & _RealmSchemaDiscoverable {}

/// An optional number, or a mixed value, that is a property without `@Persisted`: `let age = RealmProperty<Int?>()`.
public final class RealmProperty<Value: RealmPropertyType>: RLMSwiftValueStorage {
  private var unmanaged: Any = (nil as Any?) as Any

  /// A property without a value.
  public override init() {}

  /// The value.
  public var value: Value {
    get {
      guard let value = Value._rlmFromAny(read(unmanaged)) else {
        fatalError("The value is no '\(Value.self)'.")
      }
      return value
    }
    set { if !write(newValue._rlmAny) { unmanaged = newValue._rlmAny } }
  }
}

extension RealmProperty: CustomStringConvertible {
  public var description: String { "\(value)" }
}

extension RealmProperty: Equatable where Value: Equatable {
  public static func == (lhs: RealmProperty<Value>, rhs: RealmProperty<Value>) -> Bool {
    lhs.value == rhs.value
  }
}

extension RealmProperty: Codable where Value: Codable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    value = try decoder.decodeOptional(Value.self)
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension RealmProperty: _RealmSchemaDiscoverable {
  public static var _rlmType: PropertyType { Value._rlmType }
  public static var _rlmOptional: Bool { Value._rlmOptional }
}

/// An optional number that is a property without `@Persisted`.
@available(
  *, deprecated, renamed: "RealmProperty",
  message: "RealmOptional<T> has been deprecated, use RealmProperty<T?> instead."
)
public final class RealmOptional<Value: RealmOptionalType>: RLMSwiftValueStorage {
  private var unmanaged: Any = (nil as Any?) as Any

  /// A property with a value, or without one.
  public init(_ value: Value? = nil) {
    if let value { unmanaged = value._rlmAny }
  }

  /// The value; nil: there is none.
  public var value: Value? {
    get { DynamicValue.unwrapped(read(unmanaged)).flatMap { Value._rlmFromAny($0) } }
    set {
      let new = newValue.map { $0._rlmAny } ?? (nil as Any?) as Any
      if !write(new) { unmanaged = new }
    }
  }
}

@available(*, deprecated, message: "RealmOptional has been deprecated, use RealmProperty<T?> instead.")
extension RealmOptional: Equatable where Value: Equatable {
  public static func == (lhs: RealmOptional<Value>, rhs: RealmOptional<Value>) -> Bool {
    lhs.value == rhs.value
  }
}

@available(*, deprecated, message: "RealmOptional has been deprecated, use RealmProperty<T?> instead.")
extension RealmOptional: Codable where Value: Codable, Value: _RealmSchemaDiscoverable {
  public convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.decodeOptional(Value?.self))
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

@available(*, deprecated, message: "RealmOptional has been deprecated, use RealmProperty<T?> instead.")
extension RealmOptional: _RealmSchemaDiscoverable where Value: _RealmSchemaDiscoverable {
  public static var _rlmType: PropertyType { Value._rlmType }
  public static var _rlmOptional: Bool { true }
}

extension Decoder {
  /// Decodes the one value that there is.
  fileprivate func decodeOptional<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try singleValueContainer().decode(Value.self)
  }
}

// As fields of objects

/// A value that is a property without `@Persisted`, whatever it holds.
private protocol ValueStorage: RLMSwiftValueStorage, PlainField, _RealmSchemaDiscoverable {
  var anyValue: Any { get }
  /// Sets the value; false: it is of another type.
  func set(toAny value: Any) -> Bool
}

extension ValueStorage {
  private static func storage(_ field: UnsafeMutableRawPointer) -> Self {
    field.assumingMemoryBound(to: Self.self).pointee
  }

  static func describe(_ field: UnsafeMutableRawPointer, as property: inout Property) {
    property.type = _rlmType
    property.isOptional = _rlmOptional
  }

  static func manage(
    _ field: UnsafeMutableRawPointer, as key: PropertyKey, isCollection: Bool, of object: ObjectBase
  ) {
    let storage = storage(field)
    storage.owner = object
    storage.key = key
  }

  static func any(_ field: UnsafeMutableRawPointer, of object: ObjectBase) -> Any { storage(field).anyValue }

  static func set(_ field: UnsafeMutableRawPointer, of object: ObjectBase, toAny value: Any) -> Bool {
    storage(field).set(toAny: value)
  }

  static func draft(
    _ field: UnsafeMutableRawPointer, of object: ObjectBase, in context: _RealmWriteContext
  ) -> _RealmDraftValue {
    AnyRealmValue._rlmFromAny(storage(field).anyValue)?._rlmDraft(in: context) ?? _RealmDraftValue(.null)
  }
}

extension RealmProperty: ValueStorage {
  fileprivate var anyValue: Any { value._rlmAny }

  fileprivate func set(toAny value: Any) -> Bool {
    guard let value = Value._rlmFromAny(value) else { return false }
    self.value = value
    return true
  }
}

@available(*, deprecated, message: "RealmOptional has been deprecated, use RealmProperty<T?> instead.")
extension RealmOptional: ValueStorage, PlainField, PersistedField where Value: _RealmSchemaDiscoverable {
  fileprivate var anyValue: Any { value.map { $0._rlmAny } ?? (nil as Any?) as Any }

  fileprivate func set(toAny value: Any) -> Bool {
    guard let content = DynamicValue.unwrapped(value) else {
      self.value = nil
      return true
    }
    guard let value = Value._rlmFromAny(content) else { return false }
    self.value = value
    return true
  }
}

/// A collection that is a property without `@Persisted`.
private protocol PlainCollection: PlainField, ManagedCollection, _Persistable {
  /// Returns the collection that a property of a managed object is.
  static func at(_ place: CollectionPlace) -> Self
  /// Has the collection hold what another one does.
  func replace(with other: Self)
}

extension PlainCollection {
  private static func collection(_ field: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
    field.assumingMemoryBound(to: Self.self)
  }

  static func describe(_ field: UnsafeMutableRawPointer, as property: inout Property) {
    property.type = _rlmType
    property.isOptional = _rlmOptional
    _rlmPopulateProperty(&property)
    property.originProperty = (collection(field).pointee as? any Linking)?.propertyName
  }

  static func manage(
    _ field: UnsafeMutableRawPointer, as key: PropertyKey, isCollection: Bool, of object: ObjectBase
  ) {
    let collection = collection(field)
    guard let accessor = object.accessor, !collection.pointee.attach(to: accessor, key) else { return }
    collection.pointee = at(CollectionPlace(accessor, key))
  }

  static func any(_ field: UnsafeMutableRawPointer, of object: ObjectBase) -> Any {
    collection(field).pointee
  }

  static func set(_ field: UnsafeMutableRawPointer, of object: ObjectBase, toAny value: Any) -> Bool {
    guard let value = _rlmFromAny(value) else { return false }
    collection(field).pointee.replace(with: value)
    return true
  }

  static func draft(
    _ field: UnsafeMutableRawPointer, of object: ObjectBase, in context: _RealmWriteContext
  ) -> _RealmDraftValue {
    collection(field).pointee._rlmDraft(in: context)
  }
}

extension List: PlainCollection, PlainField, PersistedField where Element: _Persistable {
  fileprivate static func at(_ place: CollectionPlace) -> List { List(place) }
}

extension MutableSet: PlainCollection, PlainField, PersistedField where Element: _Persistable {
  fileprivate static func at(_ place: CollectionPlace) -> MutableSet { MutableSet(place) }
}

extension Map: PlainCollection, PlainField, PersistedField where Value: _Persistable {
  fileprivate static func at(_ place: CollectionPlace) -> Map { Map(place) }

  fileprivate func replace(with other: Map) { replaceElements(by: other) }
}

/// Linking objects, whatever they are.
private protocol Linking { var propertyName: String { get } }

extension LinkingObjects: Linking {}

extension LinkingObjects: PlainCollection, PlainField, PersistedField where Element: _Persistable {
  fileprivate static func at(_ place: CollectionPlace) -> LinkingObjects { LinkingObjects(place) }

  fileprivate func replace(with other: LinkingObjects) {
    fatalError("LinkingObjects properties are read-only")
  }
}
