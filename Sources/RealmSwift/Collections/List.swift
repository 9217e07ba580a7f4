public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A list of values, or of objects that are linked to.
public final class List<Element: RealmCollectionValue>: RLMElementCollection<Element>, ElementCollection {
  convenience init(elements: [Element]) {
    self.init()
    unmanaged = elements
  }

  func add(_ elements: [Element]) { append(objectsIn: elements) }

  // Elements

  public subscript(position: Int) -> Element {
    get { element(at: position) }
    set { replace(index: position, object: newValue) }
  }

  /// Adds an element at the end.
  public func append(_ object: Element) { insert([object], at: nil) }

  /// Adds elements at the end.
  public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
    insert(Array(objects), at: nil)
  }

  /// Adds an element before the one at an index.
  public func insert(_ object: Element, at index: Int) {
    checkInsertion(at: index)
    insert([object], at: index)
  }

  /// Adds elements before the one at an index.
  public func insert<C: Collection>(contentsOf newElements: C, at i: Int) where C.Element == Element {
    checkInsertion(at: i)
    insert(Array(newElements), at: i)
  }

  private func checkInsertion(at index: Int) {
    let count = count
    if index < 0 || index > count {
      fatalError("Index \(index) is out of bounds (must be less than \(count + 1)).")
    }
  }

  private func insert(_ objects: [Element], at index: Int?) {
    guard let place else { return unmanaged.insert(contentsOf: objects, at: index ?? unmanaged.count) }
    let writer = place.writer()
    if objects.isEmpty { return }
    let start = index ?? count
    let drafts = objects.map { $0._rlmDraft(in: writer).value }
    place.change(by: .insert(drafts, at: start))
    writer.bindEmbedded(in: place, from: start)
  }

  /// Puts an element in the place of another one.
  public func replace(index: Int, object: Element) {
    guard let place else {
      Self.checkIndex(index, unmanaged.count)
      unmanaged[index] = object
      return
    }
    let writer = place.writer()
    Self.checkIndex(index, count)
    place.change(at: .index(index), by: .assign(object._rlmDraft(in: writer).value))
    writer.bindEmbedded(in: place, from: index)
  }

  /// Removes the element at an index.
  public func remove(at index: Int) {
    guard let place else {
      Self.checkIndex(index, unmanaged.count)
      unmanaged.remove(at: index)
      return
    }
    _ = place.writer()
    Self.checkIndex(index, count)
    place.change(by: .removeElements(from: index, count: 1))
  }

  /// Removes all elements; objects that are linked to stay.
  public func removeAll() {
    guard let place else { return unmanaged.removeAll() }
    _ = place.writer()
    let count = count
    if count > 0 { place.change(by: .removeElements(from: 0, count: count)) }
  }

  /// Has an element come to another index.
  public func move(from: Int, to: Int) {
    let count = count
    Self.checkIndex(from, count)
    Self.checkIndex(to, count)
    guard let place else {
      unmanaged.insert(unmanaged.remove(at: from), at: to)
      return
    }
    _ = place.writer()
    if from != to { place.change(by: .move(from: from, to: to)) }
  }

  /// Has two elements change their places.
  public func swapAt(_ index1: Int, _ index2: Int) {
    let count = count
    Self.checkIndex(index1, count)
    Self.checkIndex(index2, count)
    guard let place else { return unmanaged.swapAt(index1, index2) }
    _ = place.writer()
    if index1 == index2 { return }
    let (low, high) = (Swift.min(index1, index2), Swift.max(index1, index2))
    place.change(by: .move(from: high, to: low))
    if high - low > 1 { place.change(by: .move(from: low + 1, to: high)) }
  }

  // Dynamic access

  /// The values of a property of all objects, of a property of the list, or the elements by `self`.
  public func value(forKey key: String) -> [AnyObject] { DynamicValue.objects(anyValue(forKey: key)) }

  /// The values at the end of a path from all objects.
  public func value(forKeyPath keyPath: String) -> [AnyObject] {
    DynamicValue.objects(anyValue(forKeyPath: keyPath))
  }

  public var description: String { described(to: ValueText.levels) }

  func described(to levels: Int) -> String { describe("List", to: levels) }

  var className: String { "RLMArray" }

  override func replaceElements(by other: RLMSwiftCollectionBase) {
    if let other = other as? List { replace(with: other) }
  }

  // Unmanaged lists are equal by their elements.
  override func isEqual(to other: RLMSwiftCollectionBase) -> Bool {
    if place == nil, let other = other as? List, other.place == nil { return unmanaged == other.unmanaged }
    return super.isEqual(to: other)
  }
}

extension List: MutableCollection {
  public typealias SubSequence = Slice<List>

  public subscript(bounds: Range<Int>) -> Slice<List> {
    get { Slice(base: self, bounds: bounds) }
    set { replaceSubrange(bounds, with: Array(newValue)) }
  }

  /// Puts elements in the place of others.
  public func replaceSubrange<C: Collection, R>(_ subrange: R, with newElements: C)
  where C.Element == Element, R: RangeExpression, List<Element>.Index == R.Bound {
    let range = subrange.relative(to: self)
    removeSubrange(range)
    insert(contentsOf: newElements, at: range.lowerBound)
  }

  /// Removes elements from the beginning.
  public func removeFirst(_ number: Int = 1) { removeSubrange(0..<number) }

  /// Removes elements from the end.
  public func removeLast(_ number: Int = 1) {
    let count = count
    removeSubrange(count - number..<count)
  }

  /// Removes the elements of a range.
  public func removeSubrange<R>(_ boundsExpression: R)
  where R: RangeExpression, List<Element>.Index == R.Bound {
    let range = boundsExpression.relative(to: self)
    if range.isEmpty { return }
    let count = count
    Self.checkIndex(range.lowerBound, count)
    Self.checkIndex(range.upperBound - 1, count)
    guard let place else { return unmanaged.removeSubrange(range) }
    _ = place.writer()
    place.change(by: .removeElements(from: range.lowerBound, count: range.count))
  }

  /// Removes the elements at some indexes.
  public func remove(atOffsets offsets: IndexSet) {
    for offset in offsets.reversed() { remove(at: offset) }
  }

  /// Has the elements at some indexes come before the one that is at another index now.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    var (moved, end) = (0, destination)
    for offset in offsets where offset >= destination {
      if offset != end { move(from: offset, to: end) }
      end += 1
    }
    for offset in offsets.reversed() where offset < destination {
      move(from: offset, to: destination - 1 - moved)
      moved += 1
    }
  }
}

extension List: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    try decode(from: decoder)
  }
}

extension List: Encodable where Element: Encodable {}

// As a property

extension List: _RealmSchemaDiscoverable, DiscoverableCollection where Element: _RealmSchemaDiscoverable {
  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.isArray = true
    Element._rlmPopulateProperty(&property)
  }
}

extension List: _HasPersistedType where Element: _Persistable {
  /// The type that values are stored as.
  public typealias PersistedType = List
}

extension List: _Persistable, PersistedCollection where Element: _Persistable {}

extension List: _DefaultConstructible where Element: _Persistable {}
