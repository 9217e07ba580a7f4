public import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Synchronization

/// Marks a property of a class that a Realm stores.
///
/// Reading is compiled into programs, so that a value that is in memory is had in a few nanoseconds.
@propertyWrapper
@frozen
public struct Persisted<Value: _Persistable> {
  /// The value of an unmanaged object, nil: the default, which is made when it is first asked for; of a managed one, the value
  /// that was read last.
  @usableFromInline var value: Value?
  /// The state of the Realm that ``value`` is of, 0: the object is unmanaged, or the value has to be read; the largest number: a
  /// collection, which reads what it holds itself.
  @usableFromInline var state: UInt64 = 0
  /// The place of the property where the object is managed.
  @usableFromInline var key: PropertyKey?
  @usableFromInline var isIndexed = false
  @usableFromInline var isPrimary = false
  /// Whether it is a collection of a managed object.
  @usableFromInline var isCollection = false
  /// The number of the origin's name, 0: there is none. A text would have to be counted whenever a value is read.
  @usableFromInline var origin: UInt32 = 0

  @available(*, unavailable, message: "@Persisted can only be used as a property on a Realm object")
  public var wrappedValue: Value {
    get { fatalError("@Persisted can only be used as a property on a Realm object") }
    // swift-format-ignore: UseSingleLinePropertyGetter
    set { fatalError("@Persisted can only be used as a property on a Realm object") }
  }

  /// A property with the default value of its type.
  @inlinable public init() {}

  /// A property with a default value.
  @inlinable public init(wrappedValue value: Value) { self.value = value }

  /// The value of the property of an object.
  public static subscript<EnclosingSelf: ObjectBase>(
    _enclosingInstance observed: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
  ) -> Value {
    // Inlined into the accessor of a property, where the key paths are known: otherwise they would be followed by the runtime.
    @inlinable @inline(__always) get {
      guard let gate = observed._rlmGate else {
        if let value = observed[keyPath: storageKeyPath].value { return value }
        return observed[keyPath: storageKeyPath].readAndKeep(of: observed)
      }
      if let tracker = gate.pointee.tracker {
        observed._rlmNoteRead(of: observed[keyPath: storageKeyPath].key, by: tracker)
      }
      if observed[keyPath: storageKeyPath].state == gate.pointee.state, gate.pointee.isOnThread,
        let value = observed[keyPath: storageKeyPath].value
      {
        return value
      }
      return observed[keyPath: storageKeyPath].readAndKeep(of: observed)
    }
    @inlinable @inline(__always) set {
      if observed[keyPath: storageKeyPath].key == nil {
        observed[keyPath: storageKeyPath].keepUnmanaged(newValue)
      } else {
        observed[keyPath: storageKeyPath].store(newValue, in: observed)
      }
    }
  }

  /// Returns the value, read anew where it has to be.
  @usableFromInline mutating func readAndKeep(of object: ObjectBase) -> Value {
    if let value, isKnown(to: object) { return value }
    let value = key.map { Value._rlmGetProperty(object, $0) } ?? Value._rlmDefaultValue()
    keep(value, of: object)
    return value
  }

  /// Whether ``value`` need not be read.
  private func isKnown(to object: ObjectBase) -> Bool {
    guard key != nil, let gate = object._rlmGate else { return true }
    guard state == gate.pointee.state || state == .max else { return false }
    if !gate.pointee.isOnThread { object.accessor?.context.check() }
    return true
  }

  private mutating func keep(_ value: Value, of object: ObjectBase) {
    guard key != nil else {
      self.value = value
      return
    }
    // Several threads may read a frozen object.
    guard let gate = object._rlmGate, !gate.pointee.isFrozen else { return }
    // Each time that a link is followed is an event.
    if !isCollection, [.object, .any].contains(Value._rlmType), object.accessor?.context.audit != nil {
      return
    }
    self.value = value
    state = isCollection ? .max : gate.pointee.state
  }

  /// Sets the value of an unmanaged object. A collection stays, and takes the elements of the other one.
  @inlinable @inline(__always) mutating func keepUnmanaged(_ value: Value) {
    if Value.self is RLMSwiftCollectionBase.Type { return replaceElements(by: value) }
    self.value = value
  }

  @usableFromInline mutating func replaceElements(by value: Value) {
    let own = self.value ?? Value._rlmDefaultValue()
    self.value = own
    guard let collection = own as? RLMSwiftCollectionBase, let other = value as? RLMSwiftCollectionBase
    else { return }
    collection.replaceElements(by: other)
  }

  @usableFromInline mutating func store(_ value: Value, in object: ObjectBase) {
    guard let key else { return }
    Value._rlmSetProperty(object, key, value)
    if state != .max { state = 0 }
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
  /// The objects of a class whose property links to an object.
  init(fromType: Element.Type, property: String)
  /// The class of the objects.
  associatedtype Element
}

/// The names of properties that linking objects come from, by numbers from 1 on: as many as the program's classes have.
final class OriginNames: Sendable {
  static let shared = OriginNames()

  private let names = Mutex<[String]>([])

  func number(of name: String) -> UInt32 {
    names.withLock { names in
      if let index = names.firstIndex(of: name) { return UInt32(index + 1) }
      names.append(name)
      return UInt32(names.count)
    }
  }

  /// Returns the name of a number; nil: it is 0.
  func name(of number: UInt32) -> String? {
    number == 0 ? nil : names.withLock { $0[Int(number) - 1] }
  }
}

extension Persisted where Value: LinkingObjectsProtocol {
  /// The objects whose property links to this one.
  public init(originProperty: String) {
    origin = OriginNames.shared.number(of: originProperty)
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
    property.originProperty = OriginNames.shared.name(of: persisted.pointee.origin)
    Value._rlmPopulateProperty(&property)
  }

  static var keyOffset: Int? { MemoryLayout<Self>.offset(of: \.key) }

  static func manage(
    _ field: UnsafeMutableRawPointer, as key: PropertyKey, isCollection: Bool, of object: ObjectBase
  ) {
    let persisted = field.assumingMemoryBound(to: Self.self)
    persisted.pointee.key = key
    persisted.pointee.isCollection = isCollection
    if isCollection, let collection = persisted.pointee.value as? any ManagedCollection,
      let accessor = object.accessor, collection.attach(to: accessor, key)
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
    field.assumingMemoryBound(to: Self.self).pointee.readAndKeep(of: object)
  }

  static func set(_ field: UnsafeMutableRawPointer, of object: ObjectBase, toAny value: Any) -> Bool {
    guard let value = Value._rlmFromAny(value) else { return false }
    let persisted = field.assumingMemoryBound(to: Self.self)
    guard persisted.pointee.key != nil else {
      persisted.pointee.keepUnmanaged(value)
      return true
    }
    persisted.pointee.store(value, in: object)
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
    // The coder's strategies are for what containers hold.
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
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
    var container = encoder.singleValueContainer()
    try container.encode(value ?? Value._rlmDefaultValue())
  }
}

/// A wrapper of values that may be missing where they are decoded.
public protocol OptionalCodingWrapper {
  /// The type of the value, which may be missing.
  associatedtype WrappedType: ExpressibleByNilLiteral
  /// Wraps a value.
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
