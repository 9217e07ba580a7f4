internal import GatehouseModel

/// A type that is stored as another one.
public protocol _CustomPersistable: _PersistableInsideOptional, _RealmCollectionValueInsideOptional {}

/// A type of one's own that is stored as another one, which it can always be made of.
public protocol CustomPersistable: _CustomPersistable {
  /// Makes a value of what is stored.
  init(persistedValue: PersistedType)
  /// The value as it is stored.
  var persistableValue: PersistedType { get }
}

/// A type of one's own that is stored as another one, which it cannot always be made of.
public protocol FailableCustomPersistable: _CustomPersistable {
  /// Makes a value of what is stored; nil where it cannot be.
  init?(persistedValue: PersistedType)
  /// The value as it is stored.
  var persistableValue: PersistedType { get }
}

extension _CustomPersistable {
  public static var _rlmType: PropertyType { PersistedType._rlmType }
  public static var _rlmOptional: Bool { PersistedType._rlmOptional }
  public static func _rlmPopulateProperty(_ property: inout Property) {
    // Null is read as a value that is made of an empty object.
    if _rlmType == .object, !property.isArray, !property.isSet { property.isOptional = true }
    PersistedType._rlmPopulateProperty(&property)
  }
}

extension CustomPersistable {
  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? {
    if case .null = value.value { return Self(persistedValue: PersistedType._rlmDefaultValue()) }
    return PersistedType._rlmFromStored(value).map { Self(persistedValue: $0) }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    persistableValue._rlmDraft(in: context)
  }

  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let value = value as? Self { return value }
    return PersistedType._rlmFromAny(value).map { Self(persistedValue: $0) }
  }

  public var _rlmAny: Any { persistableValue._rlmAny }

  public static func _rlmDefaultValue() -> Self { Self(persistedValue: PersistedType._rlmDefaultValue()) }

  public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }
}

extension FailableCustomPersistable {
  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? {
    PersistedType._rlmFromStored(value).flatMap { Self(persistedValue: $0) }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    persistableValue._rlmDraft(in: context)
  }

  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let value = value as? Self { return value }
    return PersistedType._rlmFromAny(value).flatMap { Self(persistedValue: $0) }
  }

  public var _rlmAny: Any { persistableValue._rlmAny }

  public static func _rlmDefaultValue() -> Self {
    let stored = PersistedType._rlmDefaultValue()
    guard let value = Self(persistedValue: stored) else {
      fatalError(
        """
        Failed to default construct a \(Self.self) using the default value for persisted type \
        \(PersistedType.self). This conversion must either succeed, the property must be optional, or you must \
        explicitly specify a default value for the property.
        """)
    }
    return value
  }

  public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }
}
