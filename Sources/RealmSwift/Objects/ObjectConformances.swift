import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension RealmSwiftObject: _PersistableInsideOptional, _DefaultConstructible,
  _RealmCollectionValueInsideOptional
{
  /// The type that values are stored as.
  public typealias PersistedType = RealmSwiftObject
}

extension RealmSwiftEmbeddedObject: _PersistableInsideOptional, _DefaultConstructible,
  _RealmCollectionValueInsideOptional
{
  /// The type that values are stored as.
  public typealias PersistedType = RealmSwiftEmbeddedObject
}

extension _RealmSchemaDiscoverable where Self: ObjectBase {
  public static var _rlmType: PropertyType { .object }

  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.objectClassName = className()
  }
}

extension _HasPersistedType where Self: ObjectBase {
  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? { managed(value) }

  public static func _rlmFromAny(_ value: Any) -> Self? { converted(value) }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(context.link(to: self))
  }
}

extension _Persistable where Self: ObjectBase {
  public static func _rlmTracedValue(_ trace: KeyPathTrace) -> Self { traced(by: trace) }
}

extension ObjectBase {
  /// Returns the object that a stored value links to; nil: it is no link.
  fileprivate static func managed(_ value: _RealmStoredValue) -> Self? {
    guard let context = value.realm, let row = context.live.row(of: value.value) else { return nil }
    let managed = context.managedClass(at: row.table)
    if managed.type == self { return unsafeDowncast(context.object(at: row), to: Self.self) }
    if managed.type.isSubclass(of: self) { return context.object(at: row) as? Self }
    let object = Self()
    object.accessor = ObjectAccessor(context, managed, row)
    return object
  }

  private static func isSubclass(of other: ObjectBase.Type) -> Bool {
    var type: AnyClass? = self
    while let current = type {
      if current == other { return other != DynamicObject.self }
      type = _getSuperclass(current)
    }
    return false
  }

  /// Returns the object that a dynamic value is, or makes one of a dictionary or an array.
  fileprivate static func converted(_ value: Any) -> Self? {
    guard let value = DynamicValue.unwrapped(value) else { return nil }
    if let object = value as? Self { return object }
    guard value is ObjectBase || value is [String: Any] || value is [Any] else { return nil }
    let object = Self()
    object.assign(value)
    return object
  }
}

/// A class whose objects `Realm.objects(_:)` finds.
public protocol RealmFetchable: RealmCollectionValue {
  /// The name of the class in schemas.
  static func className() -> String
}

extension RealmSwiftObject: RealmFetchable {}
