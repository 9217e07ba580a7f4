internal import GatehouseModel

extension Optional: _ObjcBridgeable where Wrapped: _ObjcBridgeable {
  public static func _rlmFromAny(_ value: Any) -> Wrapped?? {
    if DynamicValue.isNull(value) { return .some(nil) }
    return Wrapped._rlmFromAny(value).map { .some($0) }
  }

  public var _rlmAny: Any { map { $0._rlmAny } ?? (nil as Any?) as Any }
}

extension Optional: _RealmSchemaDiscoverable where Wrapped: _RealmSchemaDiscoverable {
  public static var _rlmType: PropertyType { Wrapped._rlmType }
  public static var _rlmOptional: Bool { true }
  public static func _rlmPopulateProperty(_ property: inout Property) {
    Wrapped._rlmPopulateProperty(&property)
  }
}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
  /// The type that values are stored as.
  public typealias PersistedType = Wrapped.PersistedType?

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Wrapped?? {
    if case .null = value.value { return .some(nil) }
    // Where a type cannot be made of a stored value, its optional is nil.
    return .some(Wrapped._rlmFromStored(value))
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    self?._rlmDraft(in: context) ?? _RealmDraftValue(.null)
  }
}

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
  public static func _rlmDefaultValue() -> Wrapped? { nil }

  public static func _rlmTracedValue(_ trace: KeyPathTrace) -> Wrapped? { Wrapped._rlmTracedValue(trace) }
}

extension Optional: _PrimaryKey where Wrapped: _Persistable, Wrapped.PersistedType: _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _Persistable, Wrapped.PersistedType: _Indexable {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {}
