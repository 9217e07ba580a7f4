import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// Values by keys, in the order of the keys' bytes where the map is in a Realm.
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: RLMSwiftCollectionBase {
  private var unmanaged: [(key: Key, value: Value)] = []

  /// An empty map that is in no Realm.
  public override required init() { super.init() }

  init(_ place: CollectionPlace) {
    super.init()
    self.place = place
  }

  // Entries

  /// The entries as they are now.
  var entries: [(key: Key, value: Value)] {
    guard let place else { return unmanaged }
    place.check()
    return zip(storedKeys(place), place.results.all).map { (key($0), value($1, in: place)) }
  }

  private func storedKeys(_ place: CollectionPlace) -> [String] {
    place.context.live.read { reader throws(StorageError) in try reader.keys(place.column, of: place.row) }
  }

  private func key(_ text: String) -> Key {
    guard let key = Key._rlmFromAny(text) else { fatalError("'\(text)' is no key of type '\(Key.self)'.") }
    return key
  }

  private func value(_ stored: Mixed, in place: CollectionPlace) -> Value {
    guard let value = Value._rlmFromStored(_RealmStoredValue(stored, in: place.context)) else {
      fatalError(
        "Failed to convert persisted value '\(stored.described)' to type '\(Value.self)' in a non-optional context."
      )
    }
    return value
  }

  /// Returns the key as it is stored; stops where it cannot be.
  private func stored(_ key: Key) -> String {
    guard let text = key._rlmAny as? String else { fatalError("Keys of maps are strings.") }
    if text.utf8.contains(UInt8(ascii: ".")) {
      fatalError("Dictionary::insert: key must not contain '.'")
    }
    if text.utf8.first == UInt8(ascii: "$") { fatalError("Dictionary::insert: key must not start with '$'") }
    return text
  }

  /// The keys.
  public var keys: [Key] {
    guard let place else { return unmanaged.map(\.key) }
    place.check()
    return storedKeys(place).map { key($0) }
  }

  /// The values, in the order of the keys.
  public var values: [Value] { entries.map(\.value) }

  /// The number of entries.
  public var count: Int {
    guard let place else { return unmanaged.count }
    place.check()
    return place.results.count
  }

  /// The value of a key. Setting nil removes the entry.
  public subscript(key: Key) -> Value? {
    get {
      guard let place else { return unmanaged.first { $0.key == key }?.value }
      place.check()
      guard let text = key._rlmAny as? String, let index = storedKeys(place).firstIndex(of: text) else {
        return nil
      }
      return value(place.results.all[index], in: place)
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
  }

  /// The value of a key as dynamic access shows it.
  public func object(forKey key: Any) -> Any? {
    (key as? Key).flatMap { self[$0] }.flatMap { DynamicValue.unwrapped($0._rlmAny) }
  }

  /// Sets the value of a key.
  public func updateValue(_ value: Value, forKey key: Key) {
    guard let place else {
      if let index = unmanaged.firstIndex(where: { $0.key == key }) {
        unmanaged[index].value = value
      } else {
        unmanaged.append((key, value))
      }
      return
    }
    let writer = place.writer()
    let text = stored(key)
    place.change(at: .key(text), by: .assign(value._rlmDraft(in: writer).value))
    if let index = storedKeys(place).firstIndex(of: text) { writer.bindEmbedded(in: place, from: index) }
  }

  /// Removes the entry of a key, if there is one.
  public func removeObject(for key: Key) {
    guard let place else { return unmanaged.removeAll { $0.key == key } }
    _ = place.writer()
    guard let text = key._rlmAny as? String, storedKeys(place).contains(text) else { return }
    place.change(at: .key(text), by: .remove)
  }

  /// Removes all entries; objects that are linked to stay.
  public func removeAll() {
    guard let place else { return unmanaged.removeAll() }
    _ = place.writer()
    for text in storedKeys(place) { place.change(at: .key(text), by: .remove) }
  }

  /// Sets the values of keys; `combine` says which where there is one already.
  public func merge<S>(_ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value) rethrows
  where S: Sequence, S.Element == (key: Key, value: Value) {
    for (key, value) in sequence {
      if let old = self[key] {
        updateValue(try combine(old, value), forKey: key)
      } else {
        updateValue(value, forKey: key)
      }
    }
  }

  /// Sets the values of another map's keys; `combine` says which where there is one already.
  public func merge(
    _ other: Map<Key, Value>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(other.entries, uniquingKeysWith: combine)
  }

  /// Whether there is an entry that something holds for.
  public func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool {
    entries.contains { predicate($0.key, $0.value) }
  }

  // Dynamic access

  /// The value of a key.
  public func value(forKey key: String) -> Any? {
    if key == "invalidated" { return isInvalidated }
    return Key._rlmFromAny(key).flatMap { self[$0] }.flatMap { DynamicValue.unwrapped($0._rlmAny) }
  }

  /// Sets the value of a key; nil removes the entry.
  public func setValue(_ value: Any?, forKey key: String) {
    guard let mapKey = Key._rlmFromAny(key) else { return }
    guard let value else { return removeObject(for: mapKey) }
    guard let converted = Value._rlmFromAny(value) else {
      fatalError("Invalid value '\(value)' of type '\(Swift.type(of: value))' for a map of '\(Value.self)'.")
    }
    updateValue(converted, forKey: mapKey)
  }

  // In a Realm

  /// The Realm that the map is in; nil: none.
  public var realm: Realm? { place.map { Realm(context: $0.context) } }

  /// Whether the object that has the map is gone.
  public var isInvalidated: Bool { place?.isInvalidated ?? false }

  /// Whether the map never changes.
  public var isFrozen: Bool { place?.context.live.isFrozen ?? false }

  /// Returns the map as it is now, which any thread may use.
  public func freeze() -> Map {
    guard let place else { fatalError("Unmanaged collections cannot be frozen.") }
    place.check()
    guard let frozen = moved(to: place.context.frozen()) else {
      fatalError("Cannot freeze an object in the same write transaction as it was created in.")
    }
    return frozen
  }

  /// Returns the live map of a frozen one; nil: it was deleted.
  public func thaw() -> Map? {
    guard let place else { fatalError("Unmanaged collections cannot be thawed.") }
    return isFrozen ? moved(to: place.context.thawed()) : self
  }

  func moved(to context: RealmContext) -> Map? { place?.in(context).map { Map($0) } }

  public var description: String {
    let shown = entries.prefix(100).map { "\t[\($0.key)]: \(DynamicValue.unwrapped($0.value) ?? "(null)")" }
    let address = UInt(bitPattern: ObjectIdentifier(self).hashValue)
    return """
      Map<string, \(ClassNames.name(of: Value.self))> <0x\(String(address, radix: 16))> (
      \(shown.joined(separator: ",\n"))
      )
      """
  }

  // Unmanaged maps are equal by their entries.
  override func isEqual(to other: RLMSwiftCollectionBase) -> Bool {
    if place == nil, let other = other as? Map, other.place == nil {
      return unmanaged.count == other.unmanaged.count
        && unmanaged.allSatisfy { entry in other[entry.key] == entry.value }
    }
    return super.isEqual(to: other)
  }
}

extension Map: ManagedCollection {
  func attach(to accessor: ObjectAccessor, _ key: PropertyKey) -> Bool {
    if self.place != nil { return false }
    place = CollectionPlace(accessor, key)
    unmanaged = []
    return true
  }
}

/// Goes through the entries that a map had when it was asked for.
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
  private var entries: [(key: Key, value: Value)].Iterator

  init(_ entries: [(key: Key, value: Value)]) { self.entries = entries.makeIterator() }

  public mutating func next() -> (key: Key, value: Value)? { entries.next() }
}

extension Map: Sequence {
  public func makeIterator() -> RLMKeyValueIterator<Key, Value> { RLMKeyValueIterator(entries) }
}

/// An entry of a map.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
  public var key: Key
  public var value: Value
}

extension Map {
  /// The entries as pairs of key and value.
  public struct KeyValueSequence: Sequence {
    let map: Map

    public func makeIterator() -> RLMKeyValueIterator<Key, Value> { map.makeIterator() }
  }

  /// The entries as pairs of key and value.
  public func asKeyValueSequence() -> KeyValueSequence { KeyValueSequence(map: self) }
}

/// A collection of a Realm's values by keys.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  associatedtype Key: _MapKey
  associatedtype Value: RealmCollectionValue
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  var count: Int { get }
  var description: String { get }
  func updateValue(_ value: Value, forKey key: Key)
  func removeObject(for key: Key)
  func removeAll()
  subscript(key: Key) -> Value? { get set }
  func value(forKey key: String) -> Any?
  func setValue(_ value: Any?, forKey key: String)
  func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool
  var keys: [Key] { get }
  var values: [Value] { get }
  var isFrozen: Bool { get }
  func freeze() -> Self
  func thaw() -> Self?
}

extension Map: RealmKeyedCollection {}

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

/// A map behind `Any`.
protocol DynamicMap {
  var anyEntries: [(key: String, value: Any)] { get }
}

extension Map: DynamicMap {
  var anyEntries: [(key: String, value: Any)] { entries.map { ("\($0.key)", $0.value) } }
}

// As a property

extension Map: _ObjcBridgeable {
  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let map = value as? Self { return map }
    let map = Self()
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
    let map = _rlmGetProperty(object, key)
    if map == value { return }
    let entries = value.entries
    map.removeAll()
    for (key, value) in entries { map.updateValue(value, forKey: key) }
  }
}

extension Map: _DefaultConstructible where Value: _Persistable {}
