import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension Map: Decodable where Key: Decodable, Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    for (key, value) in try [String: Value](from: decoder) {
      guard let key = Key._rlmFromAny(key) else { continue }
      updateValue(value, forKey: key)
    }
  }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var values: [String: Value] = [:]
    for (key, value) in entries { if let key = key._rlmAny as? String { values[key] = value } }
    try values.encode(to: encoder)
  }
}

/// The keys that maps of Realms can have.
enum MapKeys {
  /// Stops where a map cannot have a key (C:dictionary.cpp).
  static func check(_ key: String) {
    if key.utf8.contains(UInt8(ascii: ".")) { fatalError("Dictionary::insert: key must not contain '.'") }
    if key.utf8.first == UInt8(ascii: "$") { fatalError("Dictionary::insert: key must not start with '$'") }
  }
}

/// A map behind `Any`.
protocol DynamicMap {
  var anyEntries: [(key: String, value: Any)] { get }
  /// Returns the value of a key; nil: there is none, or nil.
  func anyValue(of key: String) -> Any?
}

extension Map: DynamicMap {
  var anyEntries: [(key: String, value: Any)] { entries.map { ("\($0.key)", $0.value) } }

  func anyValue(of key: String) -> Any? {
    Key._rlmFromAny(key).flatMap { self[$0] }.flatMap { DynamicValue.unwrapped($0._rlmAny) }
  }
}

// As a property

extension Map: _ObjcBridgeable {
  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let map = value as? Self { return map }
    let map = Self()
    if DynamicValue.isNull(value) { return map }
    for (key, value) in DynamicValue.entries(of: value) ?? [] {
      guard let key = Key._rlmFromAny(key), let value = Value._rlmFromAny(value) else { return nil }
      map.updateValue(value, forKey: key)
    }
    return DynamicValue.entries(of: value) == nil ? nil : map
  }
}

extension Map: _RealmSchemaDiscoverable where Value: _RealmSchemaDiscoverable {
  public static var _rlmType: PropertyType { Value._rlmType }
  public static var _rlmOptional: Bool { Value._rlmOptional }

  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.isMap = true
    Value._rlmPopulateProperty(&property)
  }
}

extension Map: _HasPersistedType where Value: _Persistable {
  /// The type that values are stored as.
  public typealias PersistedType = Map

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? { nil }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    let entries = entries.map { (stored($0.key), $0.value) }.sorted {
      $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
    }
    return _RealmDraftValue(
      .map(entries.map { .init(key: $0.0, value: $0.1._rlmDraft(in: context).value) }))
  }
}

extension Map: _Persistable where Value: _Persistable {
  public static func _rlmGetProperty(_ object: ObjectBase, _ key: PropertyKey) -> Self {
    object.collection(key) { Map($0) } as? Self ?? Self()
  }

  public static func _rlmSetProperty(_ object: ObjectBase, _ key: PropertyKey, _ value: Map) {
    _rlmGetProperty(object, key).replaceElements(by: value)
  }
}

extension Map: _DefaultConstructible where Value: _Persistable {}
