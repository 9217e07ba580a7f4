public import Foundation

/// A collection that `$name` stands for, which changes in transactions of its own: a property of an object that is observed, or what
/// ``ObservedRealmObject`` and ``StateRealmObject`` show.
public protocol BoundCollection<Value> {
  /// The type of the collection.
  associatedtype Value
  /// Calls `body` with what is shown, for it to be changed.
  func _rlmChange(_ body: (Value) -> Void)
}

extension BoundCollection {
  /// Has the live collection change, in a transaction of its own where none is open.
  private func change<Collection: ThreadConfined>(_ body: (Collection) -> Void) where Value == Collection {
    _rlmChange { $0.change(body) }
  }

  /// Returns the live object of a frozen one, and other elements as they are; nil: it was deleted.
  private func live<Element>(_ element: Element) -> Element? {
    guard let object = element as? any ThreadConfined, object.isFrozen else { return element }
    return object.thaw() as? Element
  }
}

extension BoundCollection {
  /// Adds an element at the end.
  public func append<Element: RealmCollectionValue>(_ value: Element) where Value == List<Element> {
    change { list in live(value).map { list.append($0) } }
  }

  /// Removes the elements at some indexes.
  public func remove<Element: RealmCollectionValue>(atOffsets offsets: IndexSet)
  where Value == List<Element> {
    change { $0.remove(atOffsets: offsets) }
  }

  /// Removes an element from the list, which stays in the Realm.
  public func remove<Element: RealmCollectionValue>(_ element: Element) where Value == List<Element> {
    change { list in
      if let index = live(element).flatMap({ list.index(of: $0) }) { list.remove(at: index) }
    }
  }

  /// Has the elements at some indexes come before the one that is at another index now.
  public func move<Element: RealmCollectionValue>(fromOffsets offsets: IndexSet, toOffset destination: Int)
  where Value == List<Element> {
    change { $0.move(fromOffsets: offsets, toOffset: destination) }
  }

  /// Adds an element, if it is not there.
  public func insert<Element: RealmCollectionValue>(_ value: Element) where Value == MutableSet<Element> {
    change { set in live(value).map { set.insert($0) } }
  }

  /// Removes an element, if it is there.
  public func remove<Element: RealmCollectionValue>(_ element: Element) where Value == MutableSet<Element> {
    change { set in live(element).map { set.remove($0) } }
  }

  /// Sets the value of a key; nil removes the entry.
  public func set<Key: _MapKey, Element: RealmCollectionValue>(object: Element?, for key: Key)
  where Value == Map<Key, Element> {
    change { map in map[key] = object.flatMap { live($0) } }
  }
}
