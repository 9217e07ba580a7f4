import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The objects whose property links to an object, once per link.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: RealmCollectionImpl {
  /// The property of the other class.
  let propertyName: String
  let place: CollectionPlace?
  let results: LiveResults?

  /// The objects of a class whose property links here: none, as long as the object is in no Realm.
  public init(fromType _: Element.Type, property propertyName: String) {
    self.propertyName = propertyName
    place = nil
    results = nil
  }

  init(_ place: CollectionPlace) {
    propertyName = place.property.originProperty ?? ""
    self.place = place
    results = place.results
  }

  var source: CollectionSource<Element> {
    if let place, let results { .managed(place.context, results) } else { .unmanaged([]) }
  }

  func check() { place?.check() }

  var isDetached: Bool { place == nil }

  var isGone: Bool { place?.isInvalidated ?? false }

  func moved(to context: RealmContext) -> LinkingObjects? { place?.in(context).map { LinkingObjects($0) } }

  public subscript(index: Int) -> Element { element(at: index) }

  public var description: String { described(to: ValueText.levels) }

  func described(to levels: Int) -> String { describe("LinkingObjects", to: levels) }

  public static func == (lhs: LinkingObjects<Element>, rhs: LinkingObjects<Element>) -> Bool {
    guard let left = lhs.place, let right = rhs.place else { return lhs.place == nil && rhs.place == nil }
    return left.context === right.context && left.isSame(as: right)
  }
}

extension LinkingObjects: LinkingObjectsProtocol {}

extension LinkingObjects: ManagedCollection {
  func attach(to accessor: ObjectAccessor, _ key: PropertyKey) -> Bool { false }
}

extension LinkingObjects: _ObjcBridgeable {}

extension LinkingObjects: _RealmSchemaDiscoverable {
  public static var _rlmType: PropertyType { .linkingObjects }

  public static func _rlmPopulateProperty(_ property: inout Property) {
    property.objectClassName = Element.className()
  }
}

extension LinkingObjects: _HasPersistedType, _Persistable where Element: _Persistable {
  /// The type that values are stored as.
  public typealias PersistedType = Self

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? { nil }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(GatehouseModel.DraftValue.list([]))
  }

  public static func _rlmDefaultValue() -> Self { Self(fromType: Element.self, property: "") }

  public static func _rlmGetProperty(_ object: ObjectBase, _ key: PropertyKey) -> Self {
    object.collection(key) { LinkingObjects($0) } as? Self ?? _rlmDefaultValue()
  }

  public static func _rlmSetProperty(_ object: ObjectBase, _ key: PropertyKey, _ value: Self) {
    fatalError("LinkingObjects properties are read-only")
  }
}
