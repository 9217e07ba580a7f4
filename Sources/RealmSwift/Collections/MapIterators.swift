import GatehouseLive
import GatehouseModel
import GatehouseStorage

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
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: _RealmMapValue, Hashable {
  /// The key.
  public var key: Key
  /// The value.
  public var value: Value

  /// Whether both have the same key and value.
  public static func == (lhs: SingleMapEntry, rhs: SingleMapEntry) -> Bool {
    lhs.key == rhs.key && lhs.value == rhs.value
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(value)
  }
}

/// An entry of a map, of whatever types.
public protocol _RealmMapValue {
  associatedtype Key: _MapKey
  associatedtype Value: RealmCollectionValue
  var key: Key { get set }
  var value: Value { get set }
}

/// Goes through entries of a map, as values of their own type.
public struct RLMMapIterator<Element: _RealmMapValue>: IteratorProtocol {
  private var entries: [Element].Iterator

  init(_ entries: [Element]) { self.entries = entries.makeIterator() }

  public mutating func next() -> Element? { entries.next() }
}

/// The place of an entry. Nothing takes one, in Realm either.
public struct MapIndex: Sendable {
  /// The number of entries before it.
  public var offset: UInt
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
