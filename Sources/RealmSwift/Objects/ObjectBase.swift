/// The base of all classes whose objects a Realm keeps.
open class ObjectBase {
  /// The object in the Realm; nil: it is in none.
  final var accessor: ObjectAccessor?

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

  final func storedValue<Value: _Persistable>(of key: PropertyKey) -> Value {
    fatalError("The object is in no Realm.")
  }

  final func store<Value: _Persistable>(_ value: Value, to key: PropertyKey) {
    fatalError("The object is in no Realm.")
  }
}

/// A place in a Realm where an object is.
final class ObjectAccessor {}

/// The names that classes have in schemas.
enum ClassNames {
  /// Returns the name of a type without those of its module and of types around it.
  static func name(of type: Any.Type) -> String {
    let name = _typeName(type, qualified: false)
    return name.split(separator: ".").last.map { String($0) } ?? name
  }
}

extension ObjectBase: Hashable {
  public static func == (lhs: ObjectBase, rhs: ObjectBase) -> Bool { lhs === rhs }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ObjectBase: KeypathSortable {}
