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
    let (keys, values) = (place.keys, place.results.all)
    precondition(keys.count == values.count, "each key of a map has a value")
    return zip(keys, values).map { (key($0), value($1, of: $0, in: place)) }
  }

  private func key(_ text: String) -> Key {
    guard let key = Key._rlmFromAny(text) else { fatalError("'\(text)' is no key of type '\(Key.self)'.") }
    return key
  }

  private func value(_ stored: Mixed, of key: String, in place: CollectionPlace) -> Value {
    if place.context.audit != nil { place.context.noteRead(stored, of: place) }
    let nested = stored.isCollection ? place.place(of: .key(key)) : nil
    return _RealmStoredValue(stored, in: place.context, at: nested).converted(to: Value.self)
  }

  /// Returns the key as it is stored; stops where it cannot be.
  func stored(_ key: Key) -> String {
    guard let text = key._rlmAny as? String else { fatalError("Keys of maps are strings.") }
    MapKeys.check(text)
    return text
  }

  /// The keys.
  public var keys: [Key] {
    guard let place else { return unmanaged.map(\.key) }
    place.check()
    return place.keys.map { key($0) }
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
      guard let text = key._rlmAny as? String else { return nil }
      return place.value(of: text).map { value($0, of: text, in: place) }
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
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
    if writer.hasEmbedded, let index = place.keys.firstIndex(of: text) {
      writer.bindEmbedded(in: place, from: index)
    }
  }

  /// Removes the entry of a key, if there is one.
  public func removeObject(for key: Key) {
    guard let place else { return unmanaged.removeAll { $0.key == key } }
    _ = place.writer()
    guard let text = key._rlmAny as? String, place.value(of: text) != nil else { return }
    place.change(at: .key(text), by: .remove)
  }

  /// Removes all entries; objects that are linked to stay.
  public func removeAll() {
    guard let place else { return unmanaged.removeAll() }
    _ = place.writer()
    for text in place.keys { place.change(at: .key(text), by: .remove) }
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

  // In a Realm

  /// The Realm that the map is in; nil: none.
  public var realm: Realm? { place.map { Realm(context: $0.context) } }

  /// Whether the object that has the map is gone.
  public var isInvalidated: Bool { place?.isInvalidated ?? false }

  /// Whether the map never changes.
  public var isFrozen: Bool { place?.context.live.isFrozen ?? false }

  /// Returns the map as it is now, which any thread may use.
  public func freeze() -> Map {
    guard let place else { fatalError(Self.onlyManaged) }
    place.check()
    guard let frozen = moved(to: place.context.frozen()) else {
      fatalError("Cannot freeze an object in the same write transaction as it was created in.")
    }
    return frozen
  }

  /// Returns the live map of a frozen one; nil: it was deleted.
  public func thaw() -> Map? {
    guard let place else { fatalError(Self.onlyManaged) }
    return isFrozen ? moved(to: place.context.thawed()) : self
  }

  func moved(to context: RealmContext) -> Map? { place?.in(context).map { Map($0) } }

  public var description: String { described(to: ValueText.levels) }

  func described(to levels: Int) -> String {
    if levels == 0 { return ValueText.tooDeep }
    let entries = entries
    let shown = entries.prefix(ValueText.elements).map { key, value in
      "[\(key)]: \(ValueText.indented(ValueText.ofElement(value, to: levels - 1)))"
    }
    let skipped = entries.count - shown.count
    let rest = skipped > 0 ? "\n\t... \(skipped) key-value pairs skipped." : ""
    let type = place?.property.objectClassName ?? ValueText.name(of: Value.self)
    let address = ValueText.address(of: ObjectIdentifier(self))
    return "Map<string, \(type)> <\(address)> (\n\(shown.joined(separator: ",\n"))\(rest)\n)"
  }

  override func replaceElements(by other: RLMSwiftCollectionBase) {
    guard let other = other as? Map, self != other else { return }
    let entries = other.entries
    removeAll()
    for (key, value) in entries { updateValue(value, forKey: key) }
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

extension Map: DescribedValue {
  /// The message where only maps of Realms can be used.
  static var onlyManaged: String {
    "This method may only be called on RLMDictionary instances retrieved from an RLMRealm"
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
