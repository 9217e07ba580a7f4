import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A set of values, or of objects that are linked to.
public final class MutableSet<Element: RealmCollectionValue>: RLMElementCollection<Element>, ElementCollection
{
  func add(_ elements: [Element]) { insert(objectsIn: elements) }

  public subscript(position: Int) -> Element { element(at: position) }

  /// Whether an element is in the set.
  public func contains(_ object: Element) -> Bool { index(of: object) != nil }

  /// Whether all elements are in another set.
  public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
    allElements.allSatisfy { possibleSuperset.contains($0) }
  }

  /// Whether an element is in another set, too.
  public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
    allElements.contains { otherSet.contains($0) }
  }

  /// Adds an element, if it is not there.
  public func insert(_ object: Element) { insert(objectsIn: [object]) }

  /// Adds those of the elements that are not there.
  public func insert<S: Sequence>(objectsIn objects: S) where S.Element == Element {
    guard let place else {
      for object in objects where !unmanaged.contains(object) { unmanaged.append(object) }
      return
    }
    let writer = place.writer()
    place.change(by: .union(objects.map { $0._rlmDraft(in: writer).value }))
  }

  /// Removes an element, if it is there.
  public func remove(_ object: Element) { remove([object]) }

  private func remove(_ objects: [Element]) {
    guard let place else { return unmanaged.removeAll { objects.contains($0) } }
    let writer = place.writer()
    place.change(by: .subtract(objects.map { $0._rlmDraft(in: writer).value }))
  }

  /// Removes all elements; objects that are linked to stay.
  public func removeAll() {
    guard let place else { return unmanaged.removeAll() }
    _ = place.writer()
    place.change(by: .intersect([]))
  }

  /// Keeps the elements that are in another set, too.
  public func formIntersection(_ other: MutableSet<Element>) {
    remove(allElements.filter { !other.contains($0) })
  }

  /// Removes the elements that are in another set.
  public func subtract(_ other: MutableSet<Element>) { remove(other.allElements) }

  /// Adds the elements of another set.
  public func formUnion(_ other: MutableSet<Element>) { insert(objectsIn: other.allElements) }

  /// Returns the place of the first object for which the closure's predicate holds; nil: there is none.
  public func index(matching isIncluded: ((Query<Element>) -> Query<Bool>)) -> Int? {
    index(matching: isIncluded(Query(isPrimitive: !(Element.self is ObjectBase.Type))).predicate)
  }

  /// The values of a property of all objects, or the elements by `self`.
  public func value(forKey key: String) -> [AnyObject] { DynamicValue.objects(anyValue(forKey: key)) }

  public var description: String { described(to: ValueText.levels) }

  func described(to levels: Int) -> String { describe("MutableSet", to: levels) }

  var className: String { "RLMSet" }

  override func replaceElements(by other: RLMSwiftCollectionBase) {
    if let other = other as? MutableSet { replace(with: other) }
  }

  // Unmanaged sets are equal by their elements.
  override func isEqual(to other: RLMSwiftCollectionBase) -> Bool {
    if place == nil, let other = other as? MutableSet, other.place == nil {
      return unmanaged.count == other.unmanaged.count && unmanaged.allSatisfy { other.unmanaged.contains($0) }
    }
    return super.isEqual(to: other)
  }
}

extension MutableSet: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    try decode(from: decoder)
  }
}

extension MutableSet: Encodable where Element: Encodable {}

// As a property

extension MutableSet: _RealmSchemaDiscoverable, DiscoverableCollection
where Element: _RealmSchemaDiscoverable {
  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.isSet = true
    Element._rlmPopulateProperty(&property)
  }
}

extension MutableSet: _HasPersistedType where Element: _Persistable {
  /// The type that values are stored as.
  public typealias PersistedType = MutableSet
}

extension MutableSet: _Persistable, PersistedCollection where Element: _Persistable {}

extension MutableSet: _DefaultConstructible where Element: _Persistable {}
