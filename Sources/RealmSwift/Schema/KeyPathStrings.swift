import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Synchronization

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

/// The names of key paths that were asked for before, since each takes an object to find them.
///
/// Because they are used under the lock, it is safe to share.
private final class KeyPathNames: @unchecked Sendable {
  static let shared = KeyPathNames()

  private let lock = Mutex(())
  private var names: [AnyKeyPath: String] = [:]
  /// The most that are kept: key paths with arguments may be any number.
  private static let most = 4096

  func name(of keyPath: AnyKeyPath, _ find: () -> String) -> String {
    if let name = lock.withLock({ _ in names[keyPath] }) { return name }
    // Reading an object's properties may ask for other names.
    let name = find()
    lock.withLock { _ in
      if names.count >= Self.most { names.removeAll() }
      names[keyPath] = name
    }
    return name
  }
}

/// Returns the path of names that a key path leads along: `\Person.address?.city` is `address.city`.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
  KeyPathNames.shared.name(of: keyPath) {
    let trace = KeyPathTrace()
    _ = T.traced(by: trace)[keyPath: keyPath]
    return trace.names.joined(separator: ".")
  }
}

/// Returns the path of names that a key path of a projection leads along in the object that it shows.
public func _name<O: ObjectBase, T>(for keyPath: PartialKeyPath<T>) -> String where T: Projection<O> {
  T._rlmName(for: keyPath)
}

extension ProjectionObservable {
  /// Returns the path of names that a key path of the view leads along in the object that it shows.
  static func _rlmName(for keyPath: PartialKeyPath<Self>) -> String {
    KeyPathNames.shared.name(of: keyPath) {
      let trace = KeyPathTrace()
      _ = Self(projecting: Root.traced(by: trace))[keyPath: keyPath]
      return trace.names.joined(separator: ".")
    }
  }
}
