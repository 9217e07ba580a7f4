/// Goes through the elements that a collection had when it was asked for.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
  private var elements: [Element].Iterator

  init(_ elements: [Element]) { self.elements = elements.makeIterator() }

  public mutating func next() -> Element? { elements.next() }
}

/// A collection of a Realm's values.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
  ThreadConfined
where Element: RealmCollectionValue {
  typealias ElementType = Element
}

/// A collection of a Realm's values that can be queried, sorted and observed.
public protocol RealmCollection: RealmCollectionBase, Equatable where Iterator == RLMIterator<Element> {
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  var count: Int { get }
  var description: String { get }
  var first: Element? { get }
  var last: Element? { get }
  var isFrozen: Bool { get }
  func freeze() -> Self
  func thaw() -> Self?
}

/// A collection of a Realm's values by keys.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  associatedtype Key: _MapKey
  associatedtype Value: RealmCollectionValue
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  var count: Int { get }
  var description: String { get }
  var keys: [Key] { get }
  var values: [Value] { get }
  subscript(key: Key) -> Value? { get set }
}
