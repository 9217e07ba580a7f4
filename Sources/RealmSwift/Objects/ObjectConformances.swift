extension RealmSwiftObject: _PersistableInsideOptional, _DefaultConstructible,
  _RealmCollectionValueInsideOptional
{
  public typealias PersistedType = RealmSwiftObject
  public static var _rlmType: PropertyType { .object }

  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.objectClassName = className()
  }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? { nil }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(context.link(to: self))
  }
}

extension RealmSwiftEmbeddedObject: _PersistableInsideOptional, _DefaultConstructible,
  _RealmCollectionValueInsideOptional
{
  public typealias PersistedType = RealmSwiftEmbeddedObject
  public static var _rlmType: PropertyType { .object }

  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.objectClassName = className()
  }

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? { nil }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(context.link(to: self))
  }
}

/// A class whose objects `Realm.objects(_:)` finds.
public protocol RealmFetchable: RealmCollectionValue {
  static func className() -> String
}

extension RealmSwiftObject: RealmFetchable {}
