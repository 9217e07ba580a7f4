import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// Marks a property of a class that a Realm stores.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
  /// The value of an unmanaged object, nil: the default, which is made when it is first asked for; of a managed one, the value
  /// that was read last.
  var value: Value?
  /// The state of the Realm that ``value`` is of; the largest number: a collection, which reads what it holds itself.
  var state: UInt64 = 0
  /// The place of the property where the object is managed.
  var key: PropertyKey?
  var isIndexed = false
  var isPrimary = false
  var originProperty: String?

  @available(*, unavailable, message: "@Persisted can only be used as a property on a Realm object")
  public var wrappedValue: Value {
    get { fatalError("@Persisted can only be used as a property on a Realm object") }
    // swift-format-ignore: UseSingleLinePropertyGetter
    set { fatalError("@Persisted can only be used as a property on a Realm object") }
  }

  /// A property with the default value of its type.
  public init() {}

  /// A property with a default value.
  public init(wrappedValue value: Value) { self.value = value }

  public static subscript<EnclosingSelf: ObjectBase>(
    _enclosingInstance observed: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
  ) -> Value {
    get {
      let storage = observed[keyPath: storageKeyPath]
      if let value = storage.known(to: observed) { return value }
      let value = storage.read(from: observed)
      observed[keyPath: storageKeyPath].keep(value, of: observed)
      return value
    }
    set {
      guard let key = observed[keyPath: storageKeyPath].key else {
        observed[keyPath: storageKeyPath].value = newValue
        return
      }
      Value._rlmSetProperty(observed, key, newValue)
      if observed[keyPath: storageKeyPath].state != .max { observed[keyPath: storageKeyPath].state = 0 }
    }
  }

  /// Returns the value without reading it; nil: it has to be read.
  private func known(to object: ObjectBase) -> Value? {
    guard let value else { return nil }
    guard key != nil, let context = object.accessor?.context else { return value }
    guard state == context.live.state || state == .max else { return nil }
    context.check()
    return value
  }

  private func read(from object: ObjectBase) -> Value {
    guard let key else { return Value._rlmDefaultValue() }
    return Value._rlmGetProperty(object, key)
  }

  private mutating func keep(_ value: Value, of object: ObjectBase) {
    guard key != nil else {
      self.value = value
      return
    }
    // Several threads may read a frozen object.
    guard let live = object.accessor?.context.live, !live.isFrozen else { return }
    self.value = value
    state = value is any ManagedCollection ? .max : live.state
  }
}

extension Persisted where Value.PersistedType: _Indexable {
  /// A property that objects are found by quickly, or not.
  public init(indexed: Bool) { isIndexed = indexed }

  /// A property with a default value that objects are found by quickly, or not.
  public init(wrappedValue value: Value, indexed: Bool) {
    self.value = value
    isIndexed = indexed
  }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
  /// The property that identifies an object.
  public init(primaryKey: Bool) { isPrimary = primaryKey }

  /// The property that identifies an object, with a default value.
  public init(wrappedValue value: Value, primaryKey: Bool) {
    self.value = value
    isPrimary = primaryKey
  }
}

/// A collection of the objects that link to one.
public protocol LinkingObjectsProtocol {
  init(fromType: Element.Type, property: String)
  associatedtype Element
}

extension Persisted where Value: LinkingObjectsProtocol {
  /// The objects whose property links to this one.
  public init(originProperty: String) {
    self.originProperty = originProperty
    value = Value(fromType: Value.Element.self, property: originProperty)
  }
}

extension Persisted: PersistedField {
  static func describe(_ field: UnsafeMutableRawPointer, as property: inout Property) {
    let persisted = field.assumingMemoryBound(to: Self.self)
    property.type = Value._rlmType
    property.isOptional = Value._rlmOptional
    property.isPrimary = persisted.pointee.isPrimary
    property.isIndexed = persisted.pointee.isIndexed || persisted.pointee.isPrimary
    property.originProperty = persisted.pointee.originProperty
    Value._rlmPopulateProperty(&property)
  }

  static func manage(_ field: UnsafeMutableRawPointer, as key: PropertyKey, of object: ObjectBase) {
    let persisted = field.assumingMemoryBound(to: Self.self)
    persisted.pointee.key = key
    if let collection = persisted.pointee.value as? any ManagedCollection, let accessor = object.accessor,
      collection.attach(to: accessor, key)
    {
      persisted.pointee.state = .max
    } else {
      persisted.pointee.value = nil
      persisted.pointee.state = 0
    }
  }

  static func any(_ field: UnsafeMutableRawPointer, of object: ObjectBase) -> Any {
    typed(field, of: object)._rlmAny
  }

  private static func typed(_ field: UnsafeMutableRawPointer, of object: ObjectBase) -> Value {
    let persisted = field.assumingMemoryBound(to: Self.self)
    let storage = persisted.pointee
    if let value = storage.known(to: object) { return value }
    let value = storage.read(from: object)
    persisted.pointee.keep(value, of: object)
    return value
  }

  static func set(_ field: UnsafeMutableRawPointer, of object: ObjectBase, toAny value: Any) -> Bool {
    guard let value = Value._rlmFromAny(value) else { return false }
    let persisted = field.assumingMemoryBound(to: Self.self)
    guard let key = persisted.pointee.key else {
      persisted.pointee.value = value
      return true
    }
    Value._rlmSetProperty(object, key, value)
    if persisted.pointee.state != .max { persisted.pointee.state = 0 }
    return true
  }

  static func draft(
    _ field: UnsafeMutableRawPointer, of object: ObjectBase, in context: _RealmWriteContext
  ) -> _RealmDraftValue {
    typed(field, of: object)._rlmDraft(in: context)
  }
}

// Codable models

extension Persisted: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }
}

extension Persisted: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    guard key == nil else {
      fatalError(
        """
        Only unmanaged Realm objects can be encoded using automatic Codable synthesis. You must explicitly define \
        encode(to:) on your model class to support managed Realm objects.
        """)
    }
    try (value ?? Value._rlmDefaultValue()).encode(to: encoder)
  }
}

/// A wrapper of values that may be missing where they are decoded.
public protocol OptionalCodingWrapper {
  associatedtype WrappedType: ExpressibleByNilLiteral
  init(wrappedValue: WrappedType)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {}

extension KeyedDecodingContainer {
  /// Decodes a property that may be missing.
  public func decode<T>(
    _ type: T.Type, forKey key: KeyedDecodingContainer<K>.Key
  ) throws -> T where T: Decodable, T: OptionalCodingWrapper {
    try decodeIfPresent(T.self, forKey: key) ?? T(wrappedValue: nil)
  }
}
