public import Dispatch
public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// Goes through the elements that a collection had when it was asked for.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
  /// The elements of an unmanaged collection.
  private let values: [Element]
  /// The elements of one in a Realm, as they are stored.
  private let stored: [Mixed]
  private let context: RealmContext?
  private let place: CollectionPlace?
  /// Makes objects of links, page by page; nil: the elements are none.
  private var objects: ObjectCursor?
  private var index = 0

  init(_ elements: [Element]) {
    values = elements
    stored = []
    context = nil
    place = nil
  }

  init(_ elements: [Mixed], in context: RealmContext, of place: CollectionPlace? = nil) {
    values = []
    stored = elements
    self.context = context
    self.place = place
    objects = ObjectCursor(elements, of: Element.self, in: context)
  }

  public mutating func next() -> Element? {
    defer { index += 1 }
    if let context, context.audit != nil, index < stored.count { context.noteRead(stored[index], of: place) }
    // The cursor has asked whether objects of the class are elements.
    if index < stored.count, let object = objects?.object(at: index, of: stored) {
      return unsafeBitCast(object, to: Element.self)
    }
    guard let context else { return index < values.count ? values[index] : nil }
    guard index < stored.count else { return nil }
    let value = stored[index]
    let nested = value.isCollection ? place?.place(of: .index(index)) : nil
    return _RealmStoredValue(value, in: context, at: nested).converted(to: Element.self)
  }
}

/// A collection of a Realm's values.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
  ThreadConfined
where Element: RealmCollectionValue {
  /// The type of the elements.
  typealias ElementType = Element
}

/// A collection of a Realm's values that can be queried, sorted and observed.
public protocol RealmCollection: RealmCollectionBase, Equatable where Iterator == RLMIterator<Element> {
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  /// The number of elements.
  var count: Int { get }
  var description: String { get }
  var first: Element? { get }
  var last: Element? { get }
  /// Returns the index of the first element that equals one; nil: there is none.
  func index(of object: Element) -> Int?
  /// Returns the elements at some indexes. Stops where one is out of bounds.
  func objects(at indexes: IndexSet) -> [Element]
  /// Returns the index of the first element for which a predicate holds; nil: there is none.
  func index(matching predicate: RealmPredicate) -> Int?
  /// Returns the index of the first element for which a format with arguments holds; nil: there is none.
  func index(matching predicateFormat: String, _ args: Any...) -> Int?
  /// Returns the elements for which a format with arguments holds.
  func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element>
  /// Returns the elements for which a predicate holds.
  func filter(_ predicate: RealmPredicate) -> Results<Element>
  /// Sorts by several paths of names, the first of which counts most.
  func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element> where S.Element == SortDescriptor
  func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String
  /// Returns the least value of a property; nil: there is none.
  func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType
  /// Returns the greatest value of a property; nil: there is none.
  func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType
  /// Returns the sum of the values of a property; 0: there are none.
  func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType
  /// Returns the average of the values of a property; nil: there are none.
  func average<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: AddableType
  /// Returns the values of a property of all objects; those of `self` are the elements.
  func value(forKey key: String) -> Any?
  /// Returns the values at the end of a path of names from all objects, or that of an operator as `@sum.age`.
  func value(forKeyPath keyPath: String) -> Any?
  /// Sets a property of all objects.
  func setValue(_ value: Any?, forKey key: String)
  func _rlmSectioned<Key: _Persistable & Hashable>(
    _ sortDescriptors: [SortDescriptor], _ block: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element>
  func _rlmObserve(
    _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken
  func _rlmObserve(
    _ keyPaths: [String]?, on actor: any Actor, _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken
  var isFrozen: Bool { get }
  func freeze() -> Self
  func thaw() -> Self?
}
