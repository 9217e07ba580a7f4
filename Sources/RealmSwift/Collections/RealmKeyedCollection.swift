public import Dispatch
import GatehouseLive

/// A collection of a Realm's values by keys.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  /// The type of the keys.
  associatedtype Key: _MapKey
  /// The type of the values.
  associatedtype Value: RealmCollectionValue
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  /// The number of entries.
  var count: Int { get }
  var description: String { get }
  /// Sets the value of a key.
  func updateValue(_ value: Value, forKey key: Key)
  /// Removes the entry of a key, if there is one.
  func removeObject(for key: Key)
  /// Removes all entries.
  func removeAll()
  /// The value of a key; setting nil removes the entry.
  subscript(key: Key) -> Value? { get set }
  /// Returns the value of a key; nil: there is none.
  func value(forKey key: String) -> AnyObject?
  /// Returns the value at the end of a path that begins with a key, or of an operator as `@sum.age`.
  func value(forKeyPath keyPath: String) -> AnyObject?
  /// Sets the value of a key; nil removes the entry.
  func setValue(_ value: Any?, forKey key: String)
  /// Returns the elements for which a predicate holds.
  func filter(_ predicate: RealmPredicate) -> Results<Value>
  /// Whether there is an entry that something holds for.
  func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool
  func sorted(ascending: Bool) -> Results<Value>
  /// Sorts by the values at the end of a path of names.
  func sorted(byKeyPath keyPath: String, ascending: Bool) -> Results<Value>
  /// Sorts by several paths of names, the first of which counts most.
  func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value> where S.Element == SortDescriptor
  /// The keys, in their order.
  var keys: [Key] { get }
  /// The values, in the order of the keys.
  var values: [Value] { get }
  /// Returns the least value of a property; nil: there is none.
  func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType
  /// Returns the greatest value of a property; nil: there is none.
  func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType
  /// Returns the sum of the values of a property; 0: there are none.
  func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType
  /// Returns the average of the values of a property; nil: there are none.
  func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType
  func observe(
    keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmMapChange<Self>) -> Void
  ) -> NotificationToken
  var isFrozen: Bool { get }
  func freeze() -> Self
  func thaw() -> Self?
}

extension Map: RealmKeyedCollection {}

extension RealmKeyedCollection {
  /// Tells of the map, and then of its changes, until the token is invalidated.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue, block)
  }
}

extension RealmKeyedCollection where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
  /// The least value of a property; nil: there is none.
  public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
  where T.PersistedType: MinMaxType { min(ofProperty: _name(for: keyPath)) }

  /// The greatest value of a property; nil: there is none.
  public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
  where T.PersistedType: MinMaxType { max(ofProperty: _name(for: keyPath)) }

  /// The sum of the values of a property; 0: there are none.
  public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
  where T.PersistedType: AddableType { sum(ofProperty: _name(for: keyPath)) }

  /// The average of the values of a property; nil: there are none.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
  where T.PersistedType: AddableType { average(ofProperty: _name(for: keyPath)) }
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase, Value.Wrapped: RealmCollectionValue {
  /// Sorts the values by those at the end of a key path.
  public func sorted<T: _HasPersistedType>(by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool)
    -> Results<Value>
  where T.PersistedType: SortableType {
    sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
  }
}

extension RealmKeyedCollection where Value.PersistedType: MinMaxType {
  /// The least value; nil: there is none.
  public func min() -> Value? { min(ofProperty: "self") }

  /// The greatest value; nil: there is none.
  public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
  /// The sum of the values; 0: there are none.
  public func sum() -> Value { sum(ofProperty: "self") }

  /// The average of the values; nil: there are none.
  public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
    average(ofProperty: "self")
  }
}

extension RealmKeyedCollection where Value.PersistedType: SortableType {
  /// Sorts the values by themselves.
  public func sorted(ascending: Bool = true) -> Results<Value> {
    sorted(byKeyPath: "self", ascending: ascending)
  }
}
