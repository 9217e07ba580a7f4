import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// All objects at the iterator's position, or just before it, as somebody sees them: for the evaluator and the encoder.
///
/// The evaluator knows objects by object keys, the log by primary keys: a link gets a key that holds within the
/// snapshot.
final class HistoricalSnapshot {
  /// The first question that could not be answered, of all snapshots that are made from one.
  private final class Failure {
    var error: StorageError?
  }

  private let iterator: HistoryIterator
  let snapshot: Snapshot
  /// The object that is not as at the iterator's position, which has passed a change of it.
  private let replaced: (identity: Identity, state: ObjectState?)?
  /// Takes out what somebody may not see; nil: they may see everything.
  let concealment: Concealment?
  private let failures: Failure
  private var identities: [Identity] = []
  private var keys: [Identity: Int64] = [:]
  private var embedded: [ObjectState] = []
  var layouts: ClassLayouts { iterator.layouts }
  /// The first question that could not be answered since somebody took it.
  var failure: StorageError? { failures.error }

  /// All objects at the iterator's position.
  convenience init(_ iterator: HistoryIterator, _ snapshot: Snapshot) {
    self.init(iterator, snapshot, replaced: nil, concealment: nil, failures: Failure())
  }

  private init(
    _ iterator: HistoryIterator, _ snapshot: Snapshot, replaced: (Identity, ObjectState?)?,
    concealment: Concealment?, failures: Failure
  ) {
    self.iterator = iterator
    self.snapshot = snapshot
    self.replaced = replaced.map { (identity: $0.0, state: $0.1) }
    self.concealment = concealment
    self.failures = failures
  }

  /// Returns the same with another state of one object.
  func replacing(_ identity: Identity, by state: ObjectState?) -> HistoricalSnapshot {
    HistoricalSnapshot(
      iterator, snapshot, replaced: (identity, state), concealment: nil, failures: failures)
  }

  /// Returns the same without what somebody may not see; of the past also without what they may not see by now.
  func concealed(under visibility: Visibility, now: CurrentVisibility? = nil) -> HistoricalSnapshot {
    HistoricalSnapshot(
      iterator, snapshot, replaced: nil, concealment: Concealment(visibility, in: self, now: now),
      failures: failures)
  }

  /// Takes the first question that could not be answered. The next ones have all of the time that a query may take.
  func takeFailure() -> StorageError? {
    snapshot.restartTime()
    defer { failures.error = nil }
    return failures.error
  }

  /// Notes that something that was asked for has no answer.
  func fail(_ error: StorageError) {
    failures.error = failures.error ?? error
  }

  /// The object; nil where there is none.
  func object(_ identity: Identity) -> ObjectState? {
    if let concealment { return concealment.object(identity) }
    if let replaced, replaced.identity == identity { return replaced.state }
    do throws(StorageError) { return try iterator.object(identity, snapshot) } catch {
      fail(error)
      return nil
    }
  }

  /// Whether the object is as in the file.
  func isCurrent(_ identity: Identity) -> Bool {
    concealment == nil && replaced?.identity != identity && iterator.isCurrent(identity)
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
    guard image != .null, let layout = iterator.layouts[objectType] else { return .null }
    embedded.append(ObjectState(layout, embedded: image))
    let key = Int64(embedded.count - 1) << 1 | 1
    return .link(ObjectLink(objectType: objectType, key: ObjectKey(key)))
  }

  /// The object that a link of this snapshot leads to.
  func object(_ link: ObjectLink) -> ObjectState? {
    let place = Int(link.key.value >> 1)
    return link.key.value & 1 == 1 ? embedded[place] : object(identities[place])
  }

  /// The objects whose property links to that one, once per link; embedded ones by the objects that hold them.
  func linkingObjects(_ objectType: String, _ property: Int, to state: ObjectState) -> [ObjectState] {
    guard layouts[objectType]?.objectType.isEmbedded == true else {
      return linkingObjects(objectType, along: [], property, to: state)
    }
    return layouts.holders(of: objectType).flatMap {
      linkingObjects($0.owner, along: $0.path, property, to: state)
    }
  }

  private func linkingObjects(
    _ owner: String, along path: [Int], _ property: Int, to state: ObjectState
  ) -> [ObjectState] {
    let step = LinkStep(
      property: 0, owner: owner, path: path + [property], target: state.layout.objectType.name,
      isBackward: true)
    let target = Identity(objectType: step.target, id: state.id)
    // By their keys at this point, as GET had them, wherever each was found.
    let objects = candidates(step, to: target).compactMap { object($0) }.sorted {
      $0.key.value < $1.key.value
    }
    return objects.flatMap { $0.embedded(along: path[...], layouts) }.flatMap { object -> [ObjectState] in
      let links = object.links(along: [property], to: step.target, layouts)
      return Array(repeating: object, count: links.count { $0 == state.id })
    }
  }

  /// The objects that may have such a link to that one, each of them once: those that have it in the file, in the order
  /// of their keys, and those that had other links.
  func candidates(_ step: LinkStep, to target: Identity) -> [Identity] {
    if let concealment {
      return concealment.hides(step.path[0], of: step.owner)
        ? [] : concealment.base.candidates(step, to: target)
    }
    var (stored, others): ([Mixed], [Identity]) = ([], [])
    do throws(StorageError) {
      stored = try snapshot.linkingObjects(step.owner, step.path, to: target.objectType, id: target.id)
      others = try pastOwners(step, of: target)
    } catch {
      fail(error)
    }
    let candidates = stored.map { Identity(objectType: step.owner, id: $0) }
    if let replaced, replaced.identity.objectType == step.owner { others.append(replaced.identity) }
    guard !others.isEmpty else { return candidates }
    var known = Set(candidates)
    return candidates + others.filter { known.insert($0).inserted }
  }

  /// Returns the objects that may have had such a link, in the order of what identifies them.
  private func pastOwners(
    _ step: LinkStep, of target: Identity
  ) throws(StorageError) -> [Identity] {
    if step.path.count == 1 {
      return try iterator.objects(step.owner, linkingBy: step.path[0], to: target.id)
    }
    // The links of embedded objects are not told apart.
    return try iterator.objects(step.owner, differingIn: step.path[0])
      .sorted { MixedOrder.compare($0.id, $1.id) < 0 }
  }
}
