public import Foundation

/// A value of a Realm that is read, and set in a transaction of its own. Stands where SwiftUI has `Binding`.
@propertyWrapper
public struct RealmBinding<Value> {
  private let read: () -> Value
  private let write: (Value) -> Void

  init(_ read: @escaping () -> Value, _ write: @escaping (Value) -> Void) {
    self.read = read
    self.write = write
  }

  /// The value; setting it is a transaction of its own.
  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }

  /// The binding itself.
  public var projectedValue: RealmBinding { self }
}

// Lists change in transactions of their own.
extension RealmBinding {
  /// Adds an element at the end.
  public func append<Element: RealmCollectionValue>(_ value: Element) where Value == List<Element> {
    wrappedValue.change { $0.append(value) }
  }

  /// Removes the elements at some indexes.
  public func remove<Element: RealmCollectionValue>(atOffsets offsets: IndexSet)
  where Value == List<Element> {
    wrappedValue.change { $0.remove(atOffsets: offsets) }
  }

  /// Removes an element from the list, which stays in the Realm.
  public func remove<Element: RealmCollectionValue>(_ element: Element) where Value == List<Element> {
    wrappedValue.change { list in
      if let index = list.index(of: element) { list.remove(at: index) }
    }
  }

  /// Has the elements at some indexes come before the one that is at another index now.
  public func move<Element: RealmCollectionValue>(fromOffsets offsets: IndexSet, toOffset destination: Int)
  where Value == List<Element> {
    wrappedValue.change { $0.move(fromOffsets: offsets, toOffset: destination) }
  }

  /// Adds an element, if it is not there.
  public func insert<Element: RealmCollectionValue>(_ value: Element) where Value == MutableSet<Element> {
    wrappedValue.change { $0.insert(value) }
  }

  /// Removes an element, if it is there.
  public func remove<Element: RealmCollectionValue>(_ element: Element) where Value == MutableSet<Element> {
    wrappedValue.change { $0.remove(element) }
  }

  /// Sets the value of a key; nil removes the entry.
  public func set<Key: _MapKey, Element: RealmCollectionValue>(object: Element?, for key: Key)
  where Value == Map<Key, Element> {
    wrappedValue.change { $0[key] = object }
  }
}
