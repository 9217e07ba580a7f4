import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A set of values, or of objects that are linked to.
public final class MutableSet<Element: RealmCollectionValue>: RLMSwiftCollectionBase, RealmCollectionImpl {
  private var unmanaged: [Element] = []
  private var results: LiveResults?

  /// An empty set that is in no Realm.
  public override required init() { super.init() }

  init(_ place: CollectionPlace) {
    super.init()
    self.place = place
    results = place.results
  }

  var source: CollectionSource<Element> {
    if let place, let results { .managed(place.context, results) } else { .unmanaged(unmanaged) }
  }

  func check() { place?.check() }

  var isGone: Bool { place?.isInvalidated ?? false }

  func moved(to context: RealmContext) -> MutableSet? { place?.in(context).map { MutableSet($0) } }

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

  public var description: String { describe("MutableSet") }

  // Unmanaged sets are equal by their elements.
  override func isEqual(to other: RLMSwiftCollectionBase) -> Bool {
    if place == nil, let other = other as? MutableSet, other.place == nil {
      return unmanaged.count == other.unmanaged.count && unmanaged.allSatisfy { other.unmanaged.contains($0) }
    }
    return super.isEqual(to: other)
  }
}

extension MutableSet: ManagedCollection {
  func attach(to accessor: ObjectAccessor, _ key: PropertyKey) -> Bool {
    if self.place != nil { return false }
    let place = CollectionPlace(accessor, key)
    self.place = place
    results = place.results
    unmanaged = []
    return true
  }
}

extension MutableSet: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { insert(try container.decode(Element.self)) }
  }
}

extension MutableSet: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in allElements { try container.encode(element) }
  }
}

// As a property

extension MutableSet: _ObjcBridgeable {
  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let set = value as? Self { return set }
    guard let sequence = value as? any Sequence, !(value is String) else { return nil }
    let set = Self()
    for element in DynamicValue.elements(of: sequence) {
      guard let element = Element._rlmFromAny(element) else { return nil }
      set.insert(element)
    }
    return set
  }
}

extension MutableSet: _RealmSchemaDiscoverable where Element: _RealmSchemaDiscoverable {
  public static var _rlmType: PropertyType { Element._rlmType }
  public static var _rlmOptional: Bool { Element._rlmOptional }

  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.isSet = true
    Element._rlmPopulateProperty(&property)
  }
}

extension MutableSet: _HasPersistedType where Element: _Persistable {
  /// The type that values are stored as.
  public typealias PersistedType = MutableSet

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? { nil }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.list(allElements.map { $0._rlmDraft(in: context).value }))
  }
}

extension MutableSet: _Persistable where Element: _Persistable {
  public static func _rlmGetProperty(_ object: ObjectBase, _ key: PropertyKey) -> Self {
    object.collection(key) { MutableSet($0) } as? Self ?? Self()
  }

  public static func _rlmSetProperty(_ object: ObjectBase, _ key: PropertyKey, _ value: MutableSet) {
    let set = _rlmGetProperty(object, key)
    if set == value { return }
    let elements = value.allElements
    set.removeAll()
    set.insert(objectsIn: elements)
  }
}

extension MutableSet: _DefaultConstructible where Element: _Persistable {}
