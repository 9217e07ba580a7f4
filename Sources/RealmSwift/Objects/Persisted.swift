/// Marks a property of a class that a Realm stores.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
  /// The value of an unmanaged object; nil: the default, which is made when it is first asked for.
  var value: Value?
  /// The place of the property where the object is managed.
  var key: PropertyKey?
  var isIndexed = false
  var isPrimary = false
  var originProperty: String?

  @available(
    *, unavailable, message: "@Persisted can only be used as a property on a Realm object"
  )
  public var wrappedValue: Value {
    get { fatalError("@Persisted can only be used as a property on a Realm object") }
    set { fatalError("@Persisted can only be used as a property on a Realm object") }
  }

  public init() {}

  public init(wrappedValue value: Value) { self.value = value }

  public static subscript<EnclosingSelf: ObjectBase>(
    _enclosingInstance observed: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
  ) -> Value {
    get { observed[keyPath: storageKeyPath].get(observed) }
    set { observed[keyPath: storageKeyPath].set(newValue, observed) }
  }

  mutating func get(_ object: ObjectBase) -> Value {
    if let key { return Value._rlmGetProperty(object, key) }
    if let value { return value }
    let value = Value._rlmDefaultValue()
    self.value = value
    return value
  }

  mutating func set(_ value: Value, _ object: ObjectBase) {
    if let key { return Value._rlmSetProperty(object, key, value) }
    self.value = value
  }
}

extension Persisted where Value.PersistedType: _Indexable {
  public init(indexed: Bool) { isIndexed = indexed }

  public init(wrappedValue value: Value, indexed: Bool) {
    self.value = value
    isIndexed = indexed
  }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
  public init(primaryKey: Bool) { isPrimary = primaryKey }

  public init(wrappedValue value: Value, primaryKey: Bool) {
    self.value = value
    isPrimary = primaryKey
  }
}
