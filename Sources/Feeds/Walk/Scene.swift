import Model
import Query
import Storage

/// All objects at the walk's point, for the evaluator and the encoder.
///
/// The evaluator knows objects by object keys, the log by primary keys: a link gets a key that holds within the
/// scene.
final class Scene {
  private let history: History
  private let snapshot: Snapshot
  private var identities: [Identity] = []
  private var keys: [Identity: Int64] = [:]
  private var embedded: [ObjectState] = []
  var layouts: Layouts { history.layouts }
  /// The first question that could not be answered.
  private(set) var failure: StorageError?

  init(_ history: History, _ snapshot: Snapshot) {
    self.history = history
    self.snapshot = snapshot
  }

  /// The object; nil where there is none.
  func object(_ identity: Identity) -> ObjectState? {
    do throws(StorageError) { return try history.object(identity, snapshot) } catch {
      failure = failure ?? error
      return nil
    }
  }

  /// The link to an object by what clients identify it by; null is no link.
  func link(_ objectType: String, _ id: Mixed) -> Mixed {
    if id == .null { return .null }
    let identity = Identity(objectType: objectType, id: id)
    if let key = keys[identity] { return .link(ObjectLink(objectType: objectType, key: ObjectKey(key))) }
    let key = Int64(identities.count) << 1
    keys[identity] = key
    identities.append(identity)
    return .link(ObjectLink(objectType: objectType, key: ObjectKey(key)))
  }

  /// A link to an embedded object.
  func link(_ objectType: String, embedded image: Mixed) -> Mixed {
    guard image != .null, let layout = history.layouts[objectType] else { return .null }
    embedded.append(ObjectState(layout, id: .null, image: image))
    let key = Int64(embedded.count - 1) << 1 | 1
    return .link(ObjectLink(objectType: objectType, key: ObjectKey(key)))
  }

  /// The object that a link of this scene leads to.
  func object(_ link: ObjectLink) -> ObjectState? {
    let place = Int(link.key.value >> 1)
    return link.key.value & 1 == 1 ? embedded[place] : object(identities[place])
  }

  /// The objects whose property links to that one, once per link.
  func linkingObjects(_ objectType: String, _ property: Int, to state: ObjectState) -> [ObjectState] {
    let target = state.layout.objectType.name
    var stored: [Mixed] = []
    do throws(StorageError) {
      stored = try snapshot.linkingObjects(objectType, property, to: target, id: state.id)
    } catch {
      failure = failure ?? error
    }
    var candidates = stored.map { Identity(objectType: objectType, id: $0) }
    let known = Set(candidates)
    candidates += history.objects(objectType, differingIn: property).filter { !known.contains($0) }
    return candidates.flatMap { candidate -> [ObjectState] in
      guard let object = object(candidate) else { return [] }
      return Array(repeating: object, count: object.links(property, to: state.id))
    }
  }
}

extension ObjectState {
  /// How many links to that object the property has.
  fileprivate func links(_ property: Int, to id: Mixed) -> Int {
    switch values[property] {
    case .list(let values): values.count { $0 == id }
    case .dictionary(let entries): entries.count { $0.value == id }
    case let value: value == id ? 1 : 0
    }
  }
}
