import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The base of lists and sets, which have their elements from an array, or from a property of an object in a Realm.
public class RLMElementCollection<Element: RealmCollectionValue>: RLMSwiftCollectionBase {
  /// The elements of a collection that is in no Realm.
  final var unmanaged: [Element] = []
  final private var results: LiveResults?

  /// An empty collection that is in no Realm.
  public override required init() { super.init() }

  required init(_ place: CollectionPlace) {
    super.init()
    take(place)
  }

  private final func take(_ place: CollectionPlace) {
    self.place = place
    results = place.results
    unmanaged = []
  }

  final var source: CollectionSource<Element> {
    if let place, let results { .managed(place.context, results) } else { .unmanaged(unmanaged) }
  }

  final func check() { place?.check() }

  final var isGone: Bool { place?.isInvalidated ?? false }

  /// Makes an unmanaged collection that of a managed object; false: it is one already.
  final func attach(to accessor: ObjectAccessor, _ key: PropertyKey) -> Bool {
    if place != nil { return false }
    take(CollectionPlace(accessor, key))
    return true
  }
}

/// The operations of lists and sets that others are made of.
protocol ElementCollection: AnyObject, RealmCollectionImpl, ManagedCollection, _ObjcBridgeable {
  init()
  init(_ place: CollectionPlace)
  /// Adds elements; a set those that it lacks.
  func add(_ elements: [Element])
  /// Removes all elements; objects that are linked to stay.
  func removeAll()
}

extension ElementCollection {
  func moved(to context: RealmContext) -> Self? { place?.in(context).map { Self($0) } }

  /// Has the collection hold what another one does.
  func replace(with other: Self) {
    if self == other { return }
    let elements = other.allElements
    removeAll()
    add(elements)
  }

  /// Has each element be a value.
  func setAll(to value: Any?) {
    let value = value ?? (nil as Any?) as Any
    guard let element = Element._rlmFromAny(value) else {
      fatalError(
        "Invalid value '\(value)' of type '\(type(of: value))' for a collection of '\(Element.self)'.")
    }
    let count = count
    removeAll()
    add(Array(repeating: element, count: count))
  }

  public static func _rlmFromAny(_ value: Any) -> Self? {
    if let collection = value as? Self { return collection }
    if DynamicValue.isNull(value) { return Self() }
    guard let sequence = value as? any Sequence, !(value is String) else { return nil }
    var elements: [Element] = []
    for element in DynamicValue.elements(of: sequence) {
      guard let element = Element._rlmFromAny(element) else { return nil }
      elements.append(element)
    }
    let collection = Self()
    collection.add(elements)
    return collection
  }

  /// The elements as a Realm stores them.
  func drafts(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.list(allElements.map { $0._rlmDraft(in: context).value }))
  }
}

/// A list or set whose elements schemas know.
protocol DiscoverableCollection: ElementCollection, _RealmSchemaDiscoverable
where Element: _RealmSchemaDiscoverable {}

extension DiscoverableCollection {
  public static var _rlmType: PropertyType { Element._rlmType }
  public static var _rlmOptional: Bool { Element._rlmOptional }
}

/// A list or set that a property can be.
protocol PersistedCollection: ElementCollection, _Persistable {}

extension PersistedCollection {
  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? { nil }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue { drafts(in: context) }

  public static func _rlmGetProperty(_ object: ObjectBase, _ key: PropertyKey) -> Self {
    object.collection(key) { Self($0) } as? Self ?? Self()
  }

  public static func _rlmSetProperty(_ object: ObjectBase, _ key: PropertyKey, _ value: Self) {
    _rlmGetProperty(object, key).replace(with: value)
  }
}

extension ElementCollection where Element: Decodable {
  func decode(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { add([try container.decode(Element.self)]) }
  }
}

extension RealmCollection where Element: Encodable {
  /// Writes the elements, in their order.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}
