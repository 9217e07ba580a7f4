import GatehouseLive
import GatehouseModel
import GatehouseStorage
@_spi(Reflection) import Swift
import Synchronization

/// A property of a class, of which only the place in memory and the wrapper's type are known.
protocol PersistedField {
  /// Says of a property what its type and its marks say.
  static func describe(_ field: UnsafeMutableRawPointer, as property: inout Property)
  /// Where in the wrapper's memory its key is, a `PropertyKey?`, if that is all that a new object's property needs to be one of a managed
  /// object, where it is no collection; nil: it takes more.
  static var keyOffset: Int? { get }
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
    /// The type of the value, if it is one of those that most are of.
    fileprivate let form: ValueForm?
    /// Whether the value is neither an object nor a collection, nor may hold such.
    let isPlain: Bool

    init(offset: Int, type: any PersistedField.Type, property: Property) {
      self.offset = offset
      self.type = type
      self.property = property
      form = ValueForm(type)
      isCollection = property.isCollection || property.type == .linkingObjects
      isPlain = !isCollection && property.type != .object && property.type != .any
    }
  }

  let type: ObjectBase.Type
  let className: String
  let fields: [Field]
  private let places: [String: Int]
  /// The properties whose values hold neither objects nor collections, so that objects are made with them at once.
  let plain: [Int]
  /// The properties that an object gets when it is there; linking objects are not among them.
  let later: [Int]
  /// Where the keys of properties are that need no more than them.
  private let keys: [(offset: Int, key: PropertyKey)]
  /// The properties that need more.
  private let others: [Int]
  /// The properties that need more where they may hold objects.
  private let usedOthers: [Int]

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
    precondition(
      zip(self.fields, self.fields.dropFirst()).allSatisfy { $0.offset < $1.offset },
      "the fields of an object follow each other: \(className)")
    places = Dictionary(self.fields.enumerated().map { ($1.property.name, $0) }) { first, _ in first }
    let all = self.fields
    plain = all.indices.filter { all[$0].isPlain }
    later = all.indices.filter { !all[$0].isPlain && all[$0].property.type != .linkingObjects }
    let keyed = all.indices.filter { !all[$0].isCollection && all[$0].type.keyOffset != nil }
    keys = keyed.map { (all[$0].offset + (all[$0].type.keyOffset ?? 0), PropertyKey($0)) }
    others = all.indices.filter { !keyed.contains($0) }
    usedOthers = all.indices.filter { !keyed.contains($0) || !all[$0].isPlain }
  }

  /// Where among the fields the property of that name is.
  func index(of name: String) -> Int? { places[name] }

  func pointer(_ index: Int, in object: ObjectBase) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque() + fields[index].offset
  }

  /// Makes all properties of an object ones of a managed object.
  func manage(_ object: ObjectBase) {
    for index in fields.indices { manage(index, of: object) }
  }

  /// Makes all properties of an object that was just made ones of a managed object. Values that its `init()` gave them stay where they
  /// are, and are of no state.
  func manageNew(_ object: ObjectBase) {
    setKeys(of: object)
    for index in others { manage(index, of: object) }
  }

  /// Makes all properties of an object that was written into a Realm ones of a managed object: it lets go of objects that it had, which
  /// may have it.
  func manageUsed(_ object: ObjectBase) {
    setKeys(of: object)
    for index in usedOthers { manage(index, of: object) }
  }

  private func setKeys(of object: ObjectBase) {
    let start = Unmanaged.passUnretained(object).toOpaque()
    for (offset, key) in keys {
      (start + offset).assumingMemoryBound(to: PropertyKey?.self).pointee = key
    }
  }

  private func manage(_ index: Int, of object: ObjectBase) {
    fields[index].type.manage(
      pointer(index, in: object), as: PropertyKey(index), isCollection: fields[index].isCollection, of: object
    )
  }

  func any(_ index: Int, of object: ObjectBase) -> Any {
    fields[index].type.any(pointer(index, in: object), of: object)
  }

  func set(_ index: Int, of object: ObjectBase, toAny value: Any) -> Bool {
    fields[index].type.set(pointer(index, in: object), of: object, toAny: value)
  }

  func draft(_ index: Int, of object: ObjectBase, in context: _RealmWriteContext) -> _RealmDraftValue {
    if object.accessor == nil, let form = fields[index].form {
      return form.draft(pointer(index, in: object))
    }
    return fields[index].type.draft(pointer(index, in: object), of: object, in: context)
  }
}

/// A type that most properties are of. The values of an unmanaged object are read by it without asking the runtime for types.
private enum ValueForm {
  case int, double, bool, string

  init?(_ type: any PersistedField.Type) {
    switch type {
    case is Persisted<Int>.Type: self = .int
    case is Persisted<Double>.Type: self = .double
    case is Persisted<Bool>.Type: self = .bool
    case is Persisted<String>.Type: self = .string
    default: return nil
    }
  }

  /// Returns the value of a wrapper, or the default of its type where it was given none.
  func draft(_ field: UnsafeMutableRawPointer) -> _RealmDraftValue {
    switch self {
    case .int: _RealmDraftValue(.int(Int64(value(field) ?? 0)))
    case .double: _RealmDraftValue(.double(value(field) ?? 0))
    case .bool: _RealmDraftValue(.bool(value(field) ?? false))
    case .string: _RealmDraftValue(.string(value(field) ?? ""))
    }
  }

  @inline(__always)
  private func value<Value: _Persistable>(_ field: UnsafeMutableRawPointer) -> Value? {
    field.assumingMemoryBound(to: Persisted<Value>.self).pointee.value
  }
}
