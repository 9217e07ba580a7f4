import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The place in a Realm where a collection is.
final class CollectionPlace {
  let context: RealmContext
  let row: RowAddress
  /// The position of the property in the store's class.
  let column: Int
  let property: Property
  private let epoch: Int

  init(_ accessor: ObjectAccessor, _ key: PropertyKey) {
    context = accessor.context
    row = accessor.row
    column = accessor.managed.columns[Int(key)]
    property = accessor.property(key)
    epoch = accessor.epoch
  }

  private init(_ context: RealmContext, like other: CollectionPlace) {
    self.context = context
    row = other.row
    column = other.column
    property = other.property
    epoch = context.epoch
  }

  /// The same place in another Realm of the file; nil: the owner is not there.
  func `in`(_ context: RealmContext) -> CollectionPlace? {
    context.live.values(of: row) == nil ? nil : CollectionPlace(context, like: self)
  }

  var isInvalidated: Bool { epoch != context.epoch || context.live.values(of: row) == nil }

  func check() {
    context.check()
    if isInvalidated { fatalError("Access to invalidated \(kind) object") }
  }

  /// Realm's name of the collection's class.
  var kind: String { property.isSet ? "Set" : property.isMap ? "Dictionary" : "List" }

  /// Stops where the collection cannot be changed; returns what writes into its Realm.
  func writer() -> RealmWriter {
    check()
    if context.live.isFrozen {
      fatalError("Attempting to modify a frozen \(kind) - call thaw on the \(kind) instance first.")
    }
    if context.live.write == nil {
      fatalError(
        "Cannot modify managed RLM\(property.isArray ? "Array" : kind) outside of a write transaction.")
    }
    return RealmWriter(context, .error)
  }

  var results: LiveResults {
    LiveResults(
      .property(column, of: row), of: property.isOfObjects ? property.objectClassName : nil, in: context.live)
  }

  func change(at element: ElementPlace? = nil, by change: GatehouseStorage.PropertyChange) {
    context.change(row, column, at: element, by: change)
  }
}

extension Property {
  /// Whether the values are links or embedded objects.
  var isOfObjects: Bool { type == .object || type == .linkingObjects }
}

/// A collection that can be a property of a managed object.
protocol ManagedCollection {
  /// Makes an unmanaged collection that of a managed object; false: another one has to be made.
  func attach(to accessor: ObjectAccessor, _ key: PropertyKey) -> Bool
}

/// The base of lists, sets and maps.
public class RLMSwiftCollectionBase {
  /// Where the collection is in a Realm; nil: it is in none.
  final var place: CollectionPlace?

  init() {}

  func isEqual(to other: RLMSwiftCollectionBase) -> Bool {
    if self === other { return true }
    guard let place, let otherPlace = other.place else { return false }
    return place.context.file === otherPlace.context.file && place.row == otherPlace.row
      && place.column == otherPlace.column
      && place.context.live.isFrozen == otherPlace.context.live.isFrozen
  }
}

extension RLMSwiftCollectionBase: Equatable {
  /// Whether both are the same collection of a Realm.
  public static func == (lhs: RLMSwiftCollectionBase, rhs: RLMSwiftCollectionBase) -> Bool {
    lhs.isEqual(to: rhs)
  }
}
