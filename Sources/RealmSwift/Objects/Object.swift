/// The base of classes whose objects a Realm keeps as objects of their own.
public typealias Object = RealmSwiftObject

/// The base of classes whose objects a Realm keeps as objects of their own.
open class RealmSwiftObject: ObjectBase {
  public required init() { super.init() }
}

/// The base of classes whose objects are parts of other objects.
public typealias EmbeddedObject = RealmSwiftEmbeddedObject

/// The base of classes whose objects are parts of other objects.
open class RealmSwiftEmbeddedObject: ObjectBase {
  public required init() { super.init() }
}

/// The base of classes whose objects are created, and never seen again.
public typealias AsymmetricObject = RealmSwiftAsymmetricObject

/// The base of classes whose objects are created, and never seen again.
open class RealmSwiftAsymmetricObject: ObjectBase {
  public required init() { super.init() }
}
