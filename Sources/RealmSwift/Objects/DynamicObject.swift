import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// An object whose class in Swift is not known: its properties are found by their names.
@dynamicMemberLookup
public final class DynamicObject: Object {
  /// The property of that name.
  public subscript(dynamicMember member: String) -> Any? {
    get { accessor?.any(member) }
    set { accessor?.set(member, toAny: newValue) }
  }

  /// No class of its own.
  public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ObjectBase {
  private func place(of name: String) -> CollectionPlace {
    guard let accessor, let key = accessor.managed.schema.index(ofDynamic: name) else {
      fatalError("Invalid property name '\(name)'.")
    }
    return CollectionPlace(accessor, PropertyKey(key))
  }

  /// A list by its name.
  public func dynamicList(_ propertyName: String) -> List<DynamicObject> { List(place(of: propertyName)) }

  /// A set by its name.
  public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    MutableSet(place(of: propertyName))
  }

  /// A map by its name.
  public func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
    Map(place(of: propertyName))
  }
}
