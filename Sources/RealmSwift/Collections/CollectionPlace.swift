import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The place in a Realm where a collection is.
final class CollectionPlace {
  /// The collection as seen from the property that has it.
  private enum Inside: Equatable {
    /// The property's value is the collection.
    case property
    /// The property's value, or an element of it, is mixed, and has the collection at the end of a way.
    case mixed(ElementPlace?, [String])
  }

  let context: RealmContext
  /// A class of ``context``, which keeps it.
  private unowned(unsafe) let managed: ManagedClass
  private let rowKey: Int64
  /// The property; nil: it is the map of a document's fields.
  private let key: Int?
  private let inside: Inside
  let property: Property
  private let epoch: Int

  // Where classes and properties are may be another place after a change of the schema.

  var row: RowAddress { RowAddress(table: managed.table, key: rowKey) }
  /// The class of the object.
  var className: String { managed.schema.className }

  /// The position of the property in the store's class.
  var column: Int { key.map { managed.columns[$0] } ?? managed.fields ?? ManagedClass.gone }

  /// Where the collection is inside of a mixed value; nil: the property is the collection.
  var mixed: MixedPlace? {
    guard case .mixed(let element, let path) = inside else { return nil }
    return MixedPlace(row: row, property: column, element: element, path: path)
  }

  init(_ accessor: ObjectAccessor, _ key: PropertyKey) {
    context = accessor.context
    managed = accessor.managed
    rowKey = accessor.row.key
    self.key = Int(key)
    inside = .property
    property = accessor.property(key)
    epoch = accessor.epoch
  }

  /// The map of a document's fields.
  init(fieldsOf accessor: ObjectAccessor) {
    context = accessor.context
    managed = accessor.managed
    rowKey = accessor.row.key
    key = nil
    inside = .property
    property = CollectionPlace.property(isMap: true)
    epoch = accessor.epoch
  }

  /// The place of a list, or a map, inside of a mixed value.
  init(_ mixed: MixedPlace, isMap: Bool, in context: RealmContext) {
    self.context = context
    managed = context.managedClass(at: mixed.row.table)
    rowKey = mixed.row.key
    key = managed.key(ofColumn: mixed.property)
    inside = .mixed(mixed.element, mixed.path)
    property = CollectionPlace.property(isMap: isMap)
    epoch = context.epoch
  }

  /// Nil where the Realm has no such property.
  private init?(_ context: RealmContext, like other: CollectionPlace) {
    guard let managed = context.managedClass(other.managed.schema.className) else { return nil }
    self.context = context
    self.managed = managed
    rowKey = other.rowKey
    if let name = other.key.map({ other.managed.schema.allProperties[$0].name }) {
      guard let index = managed.schema.allProperties.firstIndex(where: { $0.name == name }) else {
        return nil
      }
      key = index
    } else {
      key = nil
    }
    inside = other.inside
    property = other.property
    epoch = context.epoch
  }

  /// A collection of any values.
  private static func property(isMap: Bool) -> Property {
    var property = Property(name: "", type: .any)
    (property.isArray, property.isMap, property.isOptional) = (!isMap, isMap, true)
    return property
  }

  /// The same place in another Realm of the file; nil: the collection is not there.
  func `in`(_ context: RealmContext) -> CollectionPlace? {
    guard let place = CollectionPlace(context, like: self), !place.isInvalidated else { return nil }
    return place
  }

  var isInvalidated: Bool {
    if epoch != context.epoch || column < 0 || context.live.values(of: row) == nil { return true }
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
    context.file === other.context.file && rowKey == other.rowKey && inside == other.inside
      && name == other.name
      && managed.schema.className == other.managed.schema.className
      && context.live.isFrozen == other.context.live.isFrozen
  }

  /// The name of the property; nil: it is the map of a document's fields.
  private var name: String? { key.map { managed.schema.allProperties[$0].name } }

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
    guard let mixed else {
      if key == nil, element == .key(GatehouseModel.ObjectType.documentIDName) {
        fatalError("Primary key can't be changed after an object is inserted.")
      }
      return context.change(row, column, at: element, by: change)
    }
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

  /// Has a collection hold what another one of its type does.
  func replaceElements(by other: RLMSwiftCollectionBase) {}

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
