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
  /// Where the collection is inside of a mixed value; nil: the property is the collection.
  let mixed: MixedPlace?
  private let epoch: Int

  init(_ accessor: ObjectAccessor, _ key: PropertyKey) {
    context = accessor.context
    row = accessor.row
    column = accessor.managed.columns[Int(key)]
    property = accessor.property(key)
    mixed = nil
    epoch = accessor.epoch
  }

  /// The place of a list, or a map, inside of a mixed value.
  init(_ mixed: MixedPlace, isMap: Bool, in context: RealmContext) {
    var property = Property(name: "", type: .any)
    (property.isArray, property.isMap, property.isOptional) = (!isMap, isMap, true)
    self.context = context
    self.mixed = mixed
    row = mixed.row
    column = mixed.property
    self.property = property
    epoch = context.epoch
  }

  private init(_ context: RealmContext, like other: CollectionPlace) {
    self.context = context
    row = other.row
    column = other.column
    property = other.property
    mixed = other.mixed
    epoch = context.epoch
  }

  /// The same place in another Realm of the file; nil: the collection is not there.
  func `in`(_ context: RealmContext) -> CollectionPlace? {
    let place = CollectionPlace(context, like: self)
    return place.isInvalidated ? nil : place
  }

  var isInvalidated: Bool {
    if epoch != context.epoch || context.live.values(of: row) == nil { return true }
    guard let mixed else { return false }
    return switch context.live.value(at: mixed) {
    case .list: !property.isArray
    case .dictionary: !property.isMap
    default: true
    }
  }

  func check() {
    context.check()
    if isInvalidated { fatalError("Access to invalidated \(kind) object") }
  }

  /// Whether the other place is the same one, in the same file.
  func isSame(as other: CollectionPlace) -> Bool {
    context.file === other.context.file && row == other.row && column == other.column && mixed == other.mixed
      && context.live.isFrozen == other.context.live.isFrozen
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
      // Realm's names of the classes, of which maps have another one in this message.
      let name = property.isMap ? kind : "managed RLM\(property.isArray ? "Array" : kind)"
      fatalError("Cannot modify \(name) outside of a write transaction.")
    }
    return RealmWriter(context, .error, into: kind)
  }

  var results: LiveResults {
    LiveResults(
      mixed.map { .mixed($0) } ?? .property(column, of: row),
      of: property.isOfObjects ? property.objectClassName : nil, in: context.live)
  }

  /// The keys of a map, in order.
  var keys: [String] {
    if let mixed { return context.live.value(at: mixed)?.keys ?? [] }
    return context.live.read { reader throws(StorageError) in try reader.keys(column, of: row) }
  }

  /// Returns the value of a map's key; nil where there is none.
  func value(of key: String) -> Mixed? {
    if let mixed { return context.live.value(at: mixed.appending(.key(key))) }
    return context.live.read { reader throws(StorageError) in
      try reader.element(at: .key(key), in: column, of: row)
    }
  }

  /// Returns where an element is, if it is itself a list or a dictionary; nil: elements are not mixed.
  func place(of element: ElementPlace) -> MixedPlace? {
    guard property.type == .any else { return nil }
    return mixed?.appending(element) ?? MixedPlace(row: row, property: column, element: element)
  }

  func change(at element: ElementPlace? = nil, by change: GatehouseStorage.PropertyChange) {
    guard let mixed else { return context.change(row, column, at: element, by: change) }
    let place = element.map { mixed.appending($0) } ?? mixed
    context.change(row, column, at: place.element, inside: place.path, by: change)
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
    return place.isSame(as: otherPlace)
  }
}

extension RLMSwiftCollectionBase: Equatable {
  /// Whether both are the same collection of a Realm.
  public static func == (lhs: RLMSwiftCollectionBase, rhs: RLMSwiftCollectionBase) -> Bool {
    lhs.isEqual(to: rhs)
  }
}
