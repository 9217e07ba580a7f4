internal import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The elements of a collection: those of an unmanaged one, or a query in a Realm.
enum CollectionSource<Element> {
  case unmanaged([Element])
  case managed(RealmContext, LiveResults)
}

/// A collection that has its elements from a ``CollectionSource``.
protocol RealmCollectionImpl: RealmCollection, DescribedValue
where Index == Int, SubSequence == Slice<Self>, Iterator == RLMIterator<Element> {
  var source: CollectionSource<Element> { get }
  /// Where the collection is, if it is one of an object.
  var place: CollectionPlace? { get }
  /// Stops where the collection cannot be used.
  func check()
  /// Returns the collection in another Realm of its file; nil: it is not there.
  func moved(to context: RealmContext) -> Self?
  /// Whether what has the collection is gone.
  var isGone: Bool { get }
  /// The name of the class in Realm's Objective-C part, which messages have.
  var className: String { get }
  /// Whether it is what links to an unmanaged object, or was made of that: nothing, however it is filtered and sorted.
  var isDetached: Bool { get }
}

extension RealmCollectionImpl {
  var context: RealmContext? { if case .managed(let context, _) = source { context } else { nil } }
  var live: LiveResults? { if case .managed(_, let live) = source { live } else { nil } }

  var place: CollectionPlace? { nil }

  var isDetached: Bool { false }

  var className: String { "RLMResults" }

  /// The message where only collections of Realms can be used.
  var onlyManaged: String {
    "This method may only be called on \(className) instances retrieved from an RLMRealm"
  }

  /// Returns the element that is stored so at an index.
  fileprivate func element(_ value: Mixed, at index: Int, in context: RealmContext) -> Element {
    if context.audit != nil { noteRead(value, in: context) }
    let place = value.isCollection ? place?.place(of: .index(index)) : nil
    return _RealmStoredValue(value, in: context, at: place).converted(to: Element.self)
  }

  /// Takes down that an element is seen: with a query, that all it has found are.
  private func noteRead(_ value: Mixed, in context: RealmContext) {
    if let place { return context.noteRead(value, of: place) }
    if let live { context.noteRead(of: live) }
  }

  /// The elements as they are now.
  var allElements: [Element] {
    check()
    switch source {
    case .unmanaged(let elements): return elements
    case .managed(let context, let live):
      return live.all.enumerated().map { element($1, at: $0, in: context) }
    }
  }

  public var realm: Realm? { context.map { Realm(context: $0) } }

  public var isInvalidated: Bool { isGone }

  public var isFrozen: Bool { context?.live.isFrozen ?? false }

  /// The number of elements.
  public var count: Int {
    check()
    switch source {
    case .unmanaged(let elements): return elements.count
    case .managed(_, let live): return live.count
    }
  }

  /// Whether there is no element.
  public var isEmpty: Bool { count == 0 }

  func element(at position: Int) -> Element {
    check()
    switch source {
    case .unmanaged(let elements):
      Self.checkIndex(position, elements.count)
      return elements[position]
    case .managed(let context, let live):
      guard let value = live.element(at: position) else { Self.outOfBounds(position, live.count) }
      return element(value, at: position, in: context)
    }
  }

  static func checkIndex(_ position: Int, _ count: Int) {
    if position < 0 || position >= count { outOfBounds(position, count) }
  }

  private static func outOfBounds(_ position: Int, _ count: Int) -> Never {
    fatalError("Index \(position) is out of bounds (must be less than \(count)).")
  }

  public subscript(bounds: Range<Int>) -> Slice<Self> { Slice(base: self, bounds: bounds) }

  public var first: Element? {
    check()
    switch source {
    case .unmanaged(let elements): return elements.first
    case .managed(let context, let live): return live.element(at: 0).map { element($0, at: 0, in: context) }
    }
  }

  public var last: Element? {
    check()
    switch source {
    case .unmanaged(let elements): return elements.last
    case .managed(let context, let live):
      let last = live.count - 1
      return live.element(at: last).map { element($0, at: last, in: context) }
    }
  }

  /// Goes through the elements that there are now.
  public func makeIterator() -> RLMIterator<Element> {
    check()
    switch source {
    case .unmanaged(let elements): return RLMIterator(elements)
    case .managed(let context, let live):
      if place == nil { context.noteRead(of: live) }
      return RLMIterator(live.all, in: context, of: place)
    }
  }

  /// Returns the elements at some indexes. Stops where one is out of bounds.
  public func objects(at indexes: IndexSet) -> [Element] {
    indexes.map { element(at: $0) }
  }

  /// Returns the index of the first element that equals one; nil: there is none.
  public func index(of object: Element) -> Int? {
    check()
    switch source {
    case .unmanaged(let elements): return elements.firstIndex(of: object)
    case .managed(let context, let live):
      if let object = DynamicValue.unwrapped(object) as? ObjectBase {
        guard let accessor = object.accessor else { return nil }
        guard accessor.context.file === context.file else {
          fatalError("Object is not managed by the same Realm as the collection.")
        }
        return live.all.firstIndex { context.live.row(of: $0) == accessor.row }
      }
      guard case .value(let value) = object._rlmDraft(in: RealmWriter(context, .error)).value else {
        return nil
      }
      return live.all.firstIndex { MixedOrder.isEqual($0, value) }
    }
  }

  public func freeze() -> Self {
    check()
    guard let context else { fatalError(onlyManaged) }
    guard let frozen = moved(to: context.frozen()) else {
      fatalError("Cannot freeze an object in the same write transaction as it was created in.")
    }
    return frozen
  }

  public func thaw() -> Self? {
    guard let context else { fatalError(onlyManaged) }
    return context.live.isFrozen ? moved(to: context.thawed()) : self
  }

  /// Returns the text of the collection, with so many levels of what is in it.
  func describe(_ name: String, to levels: Int) -> String {
    if levels == 0 { return ValueText.tooDeep }
    let count = count
    let shown = allElements.prefix(ValueText.elements).enumerated().map { index, element in
      "\t[\(index)] \(ValueText.indented(ValueText.ofElement(element, to: levels - 1)))"
    }
    let skipped = count - shown.count
    let rest = skipped > 0 ? "\n\t... \(skipped) objects skipped." : ""
    let address = ValueText.address(of: live.map { ObjectIdentifier($0) } ?? ObjectIdentifier(Self.self))
    let type = live?.objectType ?? ValueText.name(of: Element.self)
    return "\(name)<\(type)> <\(address)> (\n\(shown.joined(separator: ",\n"))\(rest)\n)"
  }
}
