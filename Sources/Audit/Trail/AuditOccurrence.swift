import GatehouseBSON

/// The place in a trail of the text of an object, and the object's key.
struct ObjectReference: Hashable, Sendable {
  let key: Int64
  let start: Int
  let count: Int32
}

/// A read, a followed link or a write in a scope. Classes and properties are indexes of ``Trail/names``.
enum AuditOccurrence: Sendable {
  /// Objects of one class that were found together.
  case query(objectType: Int32, version: Int64, objects: [ObjectReference], time: Date)
  case object(objectType: Int32, version: Int64, object: ObjectReference, time: Date)
  /// A property's links were followed.
  case link(LinkAccess)
  /// A transaction; its net effect as JSON, in the journal.
  case write(start: Int, count: Int, time: Date)
}

/// The objects that following the links of one property has shown.
struct LinkAccess: Hashable, Sendable {
  /// An object's property in one state of the store.
  struct Place: Hashable, Sendable {
    let objectType: Int32
    let key: Int64
    let property: Int32
    let version: Int64
  }

  /// The shape of the property's value around the links.
  enum Form: Hashable, Sendable {
    case single
    case elements
    case entries([String])
  }

  let place: Place
  let form: Form
  let targetType: Int32
  /// The targets in order; nil stands for a null among them.
  let targets: [ObjectReference?]
}
