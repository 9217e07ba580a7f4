import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The names of the properties that were read of a traced object, one after the other.
public final class KeyPathTrace {
  var names: [String] = []

  init() {}
}

extension ObjectBase {
  /// Returns an object that notes which properties are read, and whose links lead to others such.
  static func traced(by trace: KeyPathTrace) -> Self {
    let object = Self()
    object.trace = trace
    ClassLayout.of(self).manage(object)
    return object
  }
}

/// Returns the path of names that a key path leads along: `\Person.address?.city` is `address.city`.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
  let trace = KeyPathTrace()
  let object = T.traced(by: trace)
  _ = object[keyPath: keyPath]
  return trace.names.joined(separator: ".")
}
