/// The place of a property among those of its class.
public typealias PropertyKey = UInt16

/// A type of properties that `@Persisted` can mark.
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where
  PersistedType: _Persistable, PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
{
  /// Reads the property of a managed object.
  static func _rlmGetProperty(_ object: ObjectBase, _ key: PropertyKey) -> Self
  /// Writes the property of a managed object.
  static func _rlmSetProperty(_ object: ObjectBase, _ key: PropertyKey, _ value: Self)
  /// The value of an unmanaged object's property that was given none.
  static func _rlmDefaultValue() -> Self
  /// A value that has nothing but a place on a key path.
  static func _rlmTracedValue(_ trace: KeyPathTrace) -> Self
}

/// A persistable type whose optional is one, too.
public protocol _PersistableInsideOptional: _Persistable where PersistedType: _PersistableInsideOptional {}

/// A type that has a default value.
public protocol _DefaultConstructible {
  init()
}

extension _Persistable where Self: _DefaultConstructible {
  public static func _rlmDefaultValue() -> Self { Self() }
}

extension _Persistable {
  public static func _rlmTracedValue(_ trace: KeyPathTrace) -> Self { _rlmDefaultValue() }

  public static func _rlmGetProperty(_ object: ObjectBase, _ key: PropertyKey) -> Self {
    object.storedValue(of: key)
  }

  public static func _rlmSetProperty(_ object: ObjectBase, _ key: PropertyKey, _ value: Self) {
    object.store(value, to: key)
  }
}

/// A type whose properties can be indexed.
@_marker public protocol _Indexable {}

/// A type whose properties can be primary keys.
@_marker public protocol _PrimaryKey {}

/// A type whose values have a least and a greatest.
@_marker public protocol MinMaxType {}

/// A type whose values can be added.
@_marker public protocol AddableType {}

/// A type that collections can be sorted by.
@_marker public protocol SortableType {}

/// A type whose collections can be sorted by key paths.
@_marker public protocol KeypathSortable {}

/// An optional.
public protocol OptionalProtocol {
  /// The type without the optional.
  associatedtype Wrapped
  func _rlmInferWrappedType() -> Wrapped
}

extension Optional: OptionalProtocol {
  public func _rlmInferWrappedType() -> Wrapped {
    // Called where it is known to hold something.
    self!
  }
}
