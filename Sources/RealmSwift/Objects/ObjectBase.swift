public import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The base of all classes whose objects a Realm keeps.
open class ObjectBase {
  /// The object in the Realm; nil: it is in none.
  final var accessor: ObjectAccessor? { didSet { _rlmGate = accessor?.gate } }
  /// The place to look at before a value that is in memory is returned; nil: the object is in no Realm. It is there for as long as the
  /// accessor, which keeps its Realm.
  @usableFromInline final var _rlmGate: UnsafePointer<ReadGate>?

  /// Who wants to know which properties are read; nil: nobody.
  final var trace: KeyPathTrace?

  /// Makes an object that is in no Realm.
  public required init() {}

  /// The name of the class, as the schema has it.
  open class func className() -> String {
    _realmObjectName() ?? ClassNames.name(of: self)
  }

  /// A name of the class that is not its name in Swift; nil: it is.
  open class func _realmObjectName() -> String? { nil }

  /// The names that properties have in the store, by their names in Swift.
  open class func propertiesMapping() -> [String: String] { [:] }

  /// The names of properties that are not stored.
  open class func ignoredProperties() -> [String] { [] }

  /// The name of the property that identifies an object.
  open class func primaryKey() -> String? { nil }

  /// The names of properties that have indexes.
  open class func indexedProperties() -> [String] { [] }

  /// Whether the class is part of the schema of Realms that name no classes.
  open class func shouldIncludeInDefaultSchema() -> Bool { true }

  /// Whether the class is nothing that Realms know.
  open class func _realmIgnoreClass() -> Bool { false }

  /// The class, as the schema has it.
  public class func sharedSchema() -> ObjectSchema? { ObjectSchema(self) }

  final var layout: ClassLayout { accessor?.managed.layout ?? ClassLayout.of(Swift.type(of: self)) }
}

/// The names that classes have in schemas.
enum ClassNames {
  /// Returns the name of a type without those of its module and of types around it.
  static func name(of type: Any.Type) -> String {
    let name = _typeName(type, qualified: false)
    return name.split(separator: ".").last.map { String($0) } ?? name
  }
}

extension ObjectBase: Hashable {
  public static func == (lhs: ObjectBase, rhs: ObjectBase) -> Bool {
    if lhs === rhs { return true }
    guard let left = lhs.accessor, let right = rhs.accessor else { return false }
    return left.isSame(as: right)
      && left.context.live.isFrozen == right.context.live.isFrozen
      && (!left.context.live.isFrozen || left.context.live.version == right.context.live.version)
  }

  public func hash(into hasher: inout Hasher) {
    if let accessor { hasher.combine(accessor.row.key) } else { hasher.combine(ObjectIdentifier(self)) }
  }
}

extension ObjectBase: KeypathSortable {}

// Reading and writing managed objects
extension ObjectBase {
  final func storedValue<Value: _Persistable>(of key: PropertyKey) -> Value {
    if let trace {
      trace.names.append(layout.fields[Int(key)].property.name)
      return Value._rlmTracedValue(trace)
    }
    guard let accessor else { fatalError("The object is in no Realm.") }
    let value = accessor.value(of: key)
    if let value = value.scalar(as: Value.self) { return value }
    if accessor.context.audit != nil { accessor.noteLink(value, key) }
    return _RealmStoredValue(value, in: accessor.context, at: accessor.place(of: value, key)).converted(
      to: Value.self)
  }

  final func store<Value: _Persistable>(_ value: Value, to key: PropertyKey) {
    guard let accessor else { fatalError("The object is in no Realm.") }
    accessor.set(key, in: accessor.writeContext()) { value._rlmDraft(in: $0).value }
  }
}

/// The place of an object in a Realm.
final class ObjectAccessor {
  /// Counting references to what is referred to weakly takes longer than all the rest of reading a value: so the context, and what it
  /// keeps, is kept by one reference that is not used otherwise.
  private let keeper: AnyObject
  unowned(unsafe) let context: RealmContext
  /// A class of ``context``, which keeps it.
  unowned(unsafe) let managed: ManagedClass
  /// The gate of the live Realm of ``context``.
  let gate: UnsafePointer<ReadGate>
  private let key: Int64
  /// The number of times that the Realm had been invalidated when the object was found.
  let epoch: Int
  /// Whether it was deleted by this accessor's Realm.
  var isDeleted = false
  /// The values that were read last, from an index on, and the state that they are of; 0: none were. Of a frozen object these are the
  /// first ones or none, since several threads may read it.
  private var values: [Mixed] = []
  private var start = 0
  private var valuesState: UInt64 = 0

  init(_ context: RealmContext, _ managed: ManagedClass, _ row: RowAddress) {
    keeper = context
    self.context = context
    self.managed = managed
    key = row.key
    epoch = context.epoch
    gate = context.gate
  }

  /// An object whose values are known already: those from an index on, of the present state.
  init(_ keeper: ContextKeeper, _ managed: ManagedClass, _ row: RowAddress, values: [Mixed], from start: Int)
  {
    self.keeper = keeper
    context = keeper.context
    self.managed = managed
    key = row.key
    epoch = keeper.epoch
    gate = keeper.gate
    self.values = values
    self.start = start
    valuesState = keeper.state
  }

  /// Where the object is: after a change of the schema its class may be elsewhere.
  var row: RowAddress { RowAddress(table: managed.table, key: key) }

  /// Whether both are of the same object, in whatever states.
  func isSame(as other: ObjectAccessor) -> Bool {
    context.file === other.context.file && key == other.key
      && (managed === other.managed || managed.schema.className == other.managed.schema.className)
  }

  var isInvalidated: Bool {
    if isDeleted || epoch != context.epoch { return true }
    return !hasValues && context.live.values(of: row) == nil
  }

  /// Whether ``values`` are those of the object now.
  @inline(__always)
  private var hasValues: Bool { valuesState == gate.pointee.state || isUnchanged }

  /// Whether ``values`` are still those of the object, though the state is another one.
  private var isUnchanged: Bool {
    guard valuesState != 0, context.live.isUnchanged(row, since: valuesState) else { return false }
    valuesState = gate.pointee.state
    return true
  }

  /// Stops where the object cannot be used.
  func check() {
    context.check()
    if isInvalidated { fatalError("Object has been deleted or invalidated.") }
  }

  func property(_ key: PropertyKey) -> Property { managed.schema.allProperties[Int(key)] }

  func value(of key: PropertyKey) -> Mixed {
    if !gate.pointee.isOnThread { context.check() }
    let column = column(key)
    if column < 0 {
      fatalError("Property '\(managed.schema.className).\(property(key).name)' is in the store no more.")
    }
    return hasValues ? values[start + column] : readValues()[column]
  }

  /// The position of a property in the store's class.
  @inline(__always)
  private func column(_ key: PropertyKey) -> Int {
    Unmanaged.passUnretained(managed)._withUnsafeGuaranteedRef { $0.columns[Int(key)] }
  }

  /// Reads the values; stops where there is no such object any more.
  private func readValues() -> [Mixed] {
    let live = context.live
    guard !isDeleted, epoch == context.epoch, let values = live.values(of: row) else {
      fatalError("Object has been deleted or invalidated.")
    }
    if !live.isFrozen { (self.values, start, valuesState) = (values, 0, live.state) }
    return values
  }

  /// Returns where the value of a property is, if it is a list or a dictionary; nil: it is none.
  func place(of value: Mixed, _ key: PropertyKey) -> MixedPlace? {
    value.isCollection ? MixedPlace(row: row, property: managed.columns[Int(key)]) : nil
  }

  /// Returns what writes into the Realm; stops where it is not in a transaction.
  func writeContext(_ policy: Realm.UpdatePolicy = .error) -> RealmWriter {
    check()
    context.checkWrite()
    return RealmWriter(context, policy)
  }

  /// Sets a property.
  func set(_ key: PropertyKey, in writer: RealmWriter, _ draft: (RealmWriter) -> DraftValue) {
    let property = property(key)
    let value = draft(writer)
    if property.isPrimary {
      guard case .value(let new) = value, new == self.value(of: key) else {
        fatalError("Primary key can't be changed after an object is inserted.")
      }
      return
    }
    context.change(row, managed.columns[Int(key)], by: .assign(value))
    writer.bindEmbedded(in: self, at: managed.columns[Int(key)])
  }
}

/// Keeps a context for objects that are made one after the other in one state of it, with what all of them have of it.
final class ContextKeeper {
  let context: RealmContext
  let gate: UnsafePointer<ReadGate>
  let epoch: Int
  let state: UInt64

  init(_ context: RealmContext) {
    self.context = context
    gate = context.gate
    epoch = context.epoch
    state = context.live.state
  }
}

extension Mixed {
  /// Returns the value in one of the types that most properties are of; nil: it is none of these, or of another type.
  @inline(__always)
  fileprivate func scalar<Value>(as type: Value.Type) -> Value? {
    switch self {
    case .int(let value) where type == Int.self: unsafeBitCast(Int(value), to: type)
    case .double(let value) where type == Double.self: unsafeBitCast(value, to: type)
    case .bool(let value) where type == Bool.self: unsafeBitCast(value, to: type)
    case .string(let value) where type == String.self: unsafeBitCast(value, to: type)
    default: nil
    }
  }

  /// The value in messages.
  var described: String {
    switch self {
    case .null: "(null)"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .decimal128, .data, .date, .objectID, .uuid, .link, .list, .dictionary: "\(self)"
    }
  }
}
