import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The base of classes whose objects a Realm keeps as objects of their own.
public typealias Object = RealmSwiftObject

/// The base of classes whose objects a Realm keeps as objects of their own.
open class RealmSwiftObject: ObjectBase {
  /// Makes an object that is in no Realm.
  public required init() { super.init() }
}

/// The base of classes whose objects are parts of other objects.
public typealias EmbeddedObject = RealmSwiftEmbeddedObject

/// The base of classes whose objects are parts of other objects.
open class RealmSwiftEmbeddedObject: ObjectBase {
  /// Makes an object that is in no Realm.
  public required init() { super.init() }
}

/// The base of classes whose objects are created, and never seen again.
public typealias AsymmetricObject = RealmSwiftAsymmetricObject

/// The base of classes whose objects are created, and never seen again.
open class RealmSwiftAsymmetricObject: ObjectBase {
  /// Makes an object that is in no Realm.
  public required init() { super.init() }
}

extension RealmSwiftObject {
  /// Makes an object of a dictionary, an array or another object, that is in no Realm.
  public convenience init(value: Any) {
    self.init()
    assign(value)
  }

  /// Whether both are the same object of a Realm.
  public func isSameObject(as object: Object?) -> Bool { isSame(as: object) }
}

extension RealmSwiftEmbeddedObject {
  /// Makes an object of a dictionary, an array or another object, that is in no Realm.
  public convenience init(value: Any) {
    self.init()
    assign(value)
  }

  /// Whether both are the same object of a Realm.
  public func isSameObject(as object: EmbeddedObject?) -> Bool { isSame(as: object) }
}

extension RealmSwiftAsymmetricObject {
  /// Makes an object of a dictionary, an array or another object, that is in no Realm.
  public convenience init(value: Any) {
    self.init()
    assign(value)
  }
}

extension RealmSwiftObject: ThreadConfined {}
extension RealmSwiftEmbeddedObject: ThreadConfined {}

extension ThreadConfined where Self: ObjectBase {
  /// Returns the object as it is now, which any thread may use.
  public func freeze() -> Self { frozenCopy() }

  /// Returns the live object of a frozen one; nil: it was deleted.
  public func thaw() -> Self? { thawedCopy() }
}

/// An object that can be told from others by its `id`, which is the same for all Swift objects of one object of a Realm.
public protocol ObjectKeyIdentifiable: Identifiable {
  var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
  /// The number of the object, which it keeps for as long as the Realm lives; of an unmanaged one, of its place in memory.
  public var id: UInt64 {
    guard let accessor else { return UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue)) }
    return UInt64(bitPattern: accessor.row.key)
  }
}
