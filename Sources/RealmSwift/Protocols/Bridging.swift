internal import GatehouseLive
internal import GatehouseModel

/// A value on its way out of a Realm: as the store has it, with the Realm that links in it lead into.
public struct _RealmStoredValue {
  let value: GatehouseModel.Mixed
  /// Kept by who makes the value; nil: the value is of no Realm, and holds no links.
  unowned(unsafe) let realm: RealmContext?
  /// Where the value is, if it is a list or a dictionary; nil: it is in no Realm.
  let place: MixedPlace?

  init(_ value: GatehouseModel.Mixed, in realm: RealmContext? = nil, at place: MixedPlace? = nil) {
    self.value = value
    self.realm = realm
    self.place = place
  }
}

extension _RealmStoredValue {
  /// Returns the value in a type; stops where none of it is stored so.
  func converted<Value: _HasPersistedType>(to type: Value.Type) -> Value {
    guard let converted = Value._rlmFromStored(self) else {
      fatalError(
        "Failed to convert persisted value '\(value.described)' to type '\(Value.self)' in a non-optional context."
      )
    }
    return converted
  }
}

/// A value on its way into a Realm.
public struct _RealmDraftValue {
  let value: GatehouseModel.DraftValue

  init(_ value: GatehouseModel.DraftValue) { self.value = value }

  init(_ value: GatehouseModel.Mixed) { self.value = .value(value) }
}

/// The Realm that values are written into: objects among them become objects of it.
public class _RealmWriteContext {
  init() {}

  /// Returns the link to an object, which is added to the Realm if it is in none.
  func link(to object: ObjectBase) -> GatehouseModel.DraftValue {
    fatalError("Objects are written into Realms only.")
  }
}

/// A value that can be told from others, and set, without its type being known.
public protocol _ObjcBridgeable {
  /// Returns the value that a dynamic one stands for; nil: it is none of this type.
  static func _rlmFromAny(_ value: Any) -> Self?
  /// The value as dynamic access shows it.
  var _rlmAny: Any { get }
}

extension _ObjcBridgeable {
  public static func _rlmFromAny(_ value: Any) -> Self? { value as? Self }
  public var _rlmAny: Any { self }
}

/// A type whose values are stored as those of another, or the same, type.
public protocol _HasPersistedType: _ObjcBridgeable {
  associatedtype PersistedType: _ObjcBridgeable
  /// Returns the value that is stored so; nil: none is.
  static func _rlmFromStored(_ value: _RealmStoredValue) -> Self?
  /// The value as it is stored.
  func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue
}

/// A type whose properties are found by a schema.
public protocol _RealmSchemaDiscoverable {
  static var _rlmType: PropertyType { get }
  static var _rlmOptional: Bool { get }
  /// Adds what the type says of a property beside its type.
  static func _rlmPopulateProperty(_ property: inout Property)
}

extension _RealmSchemaDiscoverable {
  public static var _rlmOptional: Bool { false }
  public static func _rlmPopulateProperty(_ property: inout Property) {}
}
