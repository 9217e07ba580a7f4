import GatehouseLive
import GatehouseModel
import GatehouseStorage
@_spi(Reflection) import Swift
import Synchronization

/// A property of a class, of which only the place in memory and the wrapper's type are known.
protocol PersistedField {
  /// Says of a property what its type and its marks say.
  static func describe(_ field: UnsafeMutableRawPointer, as property: inout Property)
  /// Makes the property one of a managed object.
  static func manage(
    _ field: UnsafeMutableRawPointer, as key: PropertyKey, isCollection: Bool, of object: ObjectBase)
  /// The value as dynamic access shows it.
  static func any(_ field: UnsafeMutableRawPointer, of object: ObjectBase) -> Any
  /// Sets the value to a dynamic one; false: it is of another type.
  static func set(_ field: UnsafeMutableRawPointer, of object: ObjectBase, toAny value: Any) -> Bool
  /// The value as a Realm stores it.
  static func draft(
    _ field: UnsafeMutableRawPointer, of object: ObjectBase, in context: _RealmWriteContext
  ) -> _RealmDraftValue
}

/// Where the properties of a class that Realms store are in its objects' memory. Made once for a class.
///
/// Because it never changes, it is safe to share.
final class ClassLayout: @unchecked Sendable {
  struct Field {
    let offset: Int
    let type: any PersistedField.Type
    let property: Property
    let isCollection: Bool

    init(offset: Int, type: any PersistedField.Type, property: Property) {
      self.offset = offset
      self.type = type
      self.property = property
      isCollection = property.isCollection || property.type == .linkingObjects
    }
  }

  let type: ObjectBase.Type
  let className: String
  let fields: [Field]
  private let places: [String: Int]

  private static let known = Mutex<[ObjectIdentifier: ClassLayout]>([:])

  /// Returns the layout of a class.
  static func of(_ type: ObjectBase.Type) -> ClassLayout {
    if let layout = known.withLock({ $0[ObjectIdentifier(type)] }) { return layout }
    // Making an object may ask for other layouts.
    let layout = ClassLayout(type)
    return known.withLock { known in
      if let first = known[ObjectIdentifier(type)] { return first }
      known[ObjectIdentifier(type)] = layout
      return layout
    }
  }

  private init(_ type: ObjectBase.Type) {
    self.type = type
    className = type.className()
    let mapping = type.propertiesMapping()
    let (primaryKey, indexed) = (type.primaryKey(), Set(type.indexedProperties()))
    let ignored = Set(type.ignoredProperties())
    let example = type.init()
    let object = Unmanaged.passUnretained(example).toOpaque()
    var fields: [Field] = []
    // The runtime's option for classes, whose fields follow each other from the base on.
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, fieldType, _ in
      guard let wrapper = fieldType as? any PersistedField.Type else { return true }
      var label = String(cString: name)
      if label.hasPrefix("_") { label.removeFirst() }
      var property = Property(name: label, type: .int)
      property.columnName = mapping[label] ?? label
      if ignored.contains(label) { return true }
      wrapper.describe(object + offset, as: &property)
      if label == primaryKey { property.isPrimary = true }
      if property.isPrimary || indexed.contains(label) { property.isIndexed = true }
      fields.append(Field(offset: offset, type: wrapper, property: property))
      return true
    }
    withExtendedLifetime(example) {}
    // Where some are marked, the others are none of the Realm's.
    let marked = fields.filter { !($0.type is any PlainField.Type) }
    self.fields = marked.isEmpty ? fields : marked
    places = Dictionary(self.fields.enumerated().map { ($1.property.name, $0) }) { first, _ in first }
  }

  /// Where among the fields the property of that name is.
  func index(of name: String) -> Int? { places[name] }

  func pointer(_ index: Int, in object: ObjectBase) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque() + fields[index].offset
  }

  /// Makes all properties of an object ones of a managed object.
  func manage(_ object: ObjectBase) {
    for (index, field) in fields.enumerated() {
      field.type.manage(
        pointer(index, in: object), as: PropertyKey(index), isCollection: field.isCollection, of: object)
    }
  }

  func any(_ index: Int, of object: ObjectBase) -> Any {
    fields[index].type.any(pointer(index, in: object), of: object)
  }

  func set(_ index: Int, of object: ObjectBase, toAny value: Any) -> Bool {
    fields[index].type.set(pointer(index, in: object), of: object, toAny: value)
  }

  func draft(_ index: Int, of object: ObjectBase, in context: _RealmWriteContext) -> _RealmDraftValue {
    fields[index].type.draft(pointer(index, in: object), of: object, in: context)
  }
}
