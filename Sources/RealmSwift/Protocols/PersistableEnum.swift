/// A type that older Realms stored in properties of their own kind.
public protocol RealmOptionalType: _ObjcBridgeable {}

extension RealmOptionalType {
  /// The name of the class in schemas.
  public static func className() -> String { "" }
}

extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Bool: RealmOptionalType {}

/// An enum whose raw values are stored.
public protocol RealmEnum: RealmOptionalType, _RealmSchemaDiscoverable {}

extension RealmEnum where Self: RawRepresentable, Self.RawValue: _RealmSchemaDiscoverable & _ObjcBridgeable {
  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let value = value as? Self { return value }
    return RawValue._rlmFromAny(value).flatMap { Self(rawValue: $0) }
  }

  public var _rlmAny: Any { rawValue._rlmAny }
}

/// An enum whose raw values are stored; the default is its first case.
public protocol PersistableEnum: _PersistableInsideOptional, RawRepresentable, CaseIterable, RealmEnum,
  _RealmCollectionValueInsideOptional, MinMaxType, Comparable
where RawValue: Comparable {}

extension PersistableEnum {
  /// The first case.
  public init() {
    guard let first = Self.allCases.first else {
      fatalError("Enum '\(Self.self)' must have at least one case to be persisted.")
    }
    self = first
  }

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

  public static func _rlmDefaultValue() -> Self { Self() }
}

extension RawRepresentable where RawValue: _RealmSchemaDiscoverable {
  public static var _rlmType: PropertyType { RawValue._rlmType }
}

extension RawRepresentable where Self: _PersistableInsideOptional, RawValue: _PersistableInsideOptional {
  /// The type that values are stored as.
  public typealias PersistedType = RawValue

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? {
    RawValue._rlmFromStored(value).flatMap { Self(rawValue: $0) }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    rawValue._rlmDraft(in: context)
  }
}
