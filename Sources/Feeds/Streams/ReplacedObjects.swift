public import GatehouseModel
import Synchronization

/// The objects that were lately replaced as a whole, for streams that tell that from changes of single properties: the change
/// log, from which events are made, says the same of both.
///
/// An object is noted before the transaction, since its event may be told before whoever asked for it is answered.
public final class ReplacedObjects: Sendable {
  /// The most objects that are remembered.
  private static let capacity = 4_096

  private struct Key: Hashable {
    let objectType: String
    let id: Mixed
  }

  private struct State {
    /// The version of the replacement; nil: it is about to be made.
    var versions: [Key: Int64?] = [:]
    var order: [Key] = []
  }

  private let state = Mutex(State())

  init() {}

  /// Notes an object that is about to be replaced.
  public func begin(_ objectType: String, id: Mixed) {
    state.withLock { state in
      let key = Key(objectType: objectType, id: id)
      if state.versions.updateValue(nil, forKey: key) == nil { state.order.append(key) }
      guard state.order.count > Self.capacity else { return }
      for key in state.order.prefix(Self.capacity / 2) { state.versions.removeValue(forKey: key) }
      state.order.removeFirst(Self.capacity / 2)
    }
  }

  /// Says by which version the object was replaced; nil: it was not.
  public func end(_ objectType: String, id: Mixed, at version: Int64?) {
    state.withLock { state in
      let key = Key(objectType: objectType, id: id)
      if version != nil {
        if state.versions[key] != nil { state.versions.updateValue(version, forKey: key) }
      } else if state.versions.removeValue(forKey: key) != nil {
        state.order.removeAll { $0 == key }
      }
    }
  }

  /// Whether the version replaced the object.
  public func contains(_ objectType: String, id: Mixed, at version: Int64) -> Bool {
    state.withLock { state in
      guard let noted = state.versions[Key(objectType: objectType, id: id)] else { return false }
      return noted == nil || noted == version
    }
  }
}
