import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The base of all classes whose objects a Realm keeps.
open class ObjectBase {
  /// The object in the Realm; nil: it is in none.
  final var accessor: ObjectAccessor?

  /// The state that the value of a property must be of to be returned without being read: 0 of an unmanaged object. Stops where
  /// who asks may not use the Realm.
  @usableFromInline final func _rlmReadableState(_ key: PropertyKey?) -> UInt64 {
    accessor?.readableState(key) ?? 0
  }

  /// Who wants to know which properties are read; nil: nobody.
  final var trace: KeyPathTrace?

  /// Makes an object that is in no Realm.
  public required init() {}

  /// The name of the class, as the schema has it.
  public class func className() -> String {
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
    return left.context.file === right.context.file && left.row == right.row
      && left.context.live.isFrozen == right.context.live.isFrozen
      && (!left.context.live.isFrozen || left.context.live.version == right.context.live.version)
  }

  public func hash(into hasher: inout Hasher) {
    if let accessor { hasher.combine(accessor.row) } else { hasher.combine(ObjectIdentifier(self)) }
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
  let context: RealmContext
  let managed: ManagedClass
  let row: RowAddress
  /// The number of times that the Realm had been invalidated when the object was found.
  let epoch: Int
  /// Whether it was deleted by this accessor's Realm.
  var isDeleted = false
  /// The values that were read last, and the state that they are of; those of a frozen object are not kept, since several threads may
  /// read it.
  private var values: [Mixed] = []
  private var valuesState: UInt64 = 0
  /// The live Realm of ``context``, which keeps it. Counting references to what is referred to weakly takes longer than all the rest of
  /// reading a value.
  private let uncounted: Unmanaged<LiveRealm>

  init(_ context: RealmContext, _ managed: ManagedClass, _ row: RowAddress) {
    self.context = context
    self.managed = managed
    self.row = row
    epoch = context.epoch
    uncounted = .passUnretained(context.live)
  }

  /// The state that values must be of; stops where who asks may not use the Realm.
  func readableState(_ key: PropertyKey?) -> UInt64 {
    uncounted._withUnsafeGuaranteedRef { live in
      if !live.isCurrent { RealmContext.stopOnOtherThread() }
      if live.isTrackable, let key, Tracking.shared.isActive { noteTrackedAccess(key) }
      return live.state
    }
  }

  var isInvalidated: Bool {
    isDeleted || epoch != context.epoch || context.live.values(of: row) == nil
  }

  /// Stops where the object cannot be used.
  func check() {
    context.check()
    if isInvalidated { fatalError("Object has been deleted or invalidated.") }
  }

  func property(_ key: PropertyKey) -> Property { managed.schema.properties[Int(key)] }

  func value(of key: PropertyKey) -> Mixed {
    uncounted._withUnsafeGuaranteedRef { live in
      if !live.isCurrent { RealmContext.stopOnOtherThread() }
      if valuesState == live.state { return values[managed.columns[Int(key)]] }
      guard !isDeleted, epoch == context.epoch, let values = live.values(of: row) else {
        fatalError("Object has been deleted or invalidated.")
      }
      if !live.isFrozen { (self.values, valuesState) = (values, live.state) }
      return values[managed.columns[Int(key)]]
    }
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

extension Mixed {
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
