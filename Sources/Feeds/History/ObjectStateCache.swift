import GatehouseModel
import GatehouseStorage

/// The objects as they were at the position of an iterator that does not look at what lies ahead of it.
///
/// An object is read from the file, and the first values that its later changes replaced are put back, which
/// ``HistoryIndex`` finds. From then on each change that the iterator passes is applied to it, for as long as there is room
/// for it: two generations, of which the older one is forgotten when the newer one is full.
final class ObjectStateCache {
  let index: HistoryIndex
  /// The bytes that all states may take, about. Where they take more, the older ones are forgotten at once.
  var budget: Int {
    didSet { trim() }
  }
  /// The bytes of images, and the changes, that an iterator reads in one go.
  let page: (bytes: Int, count: Int)
  private var recent: [Identity: ObjectState?] = [:]
  private var older: [Identity: ObjectState?] = [:]
  private var recentSize = 0
  private var olderSize = 0

  init(_ index: HistoryIndex, _ memory: ReplayMemory) {
    self.index = index
    budget = memory.states
    page = (memory.imageBytes, memory.changeCount)
  }

  /// The bytes that all states take, about.
  var size: Int { recentSize + olderSize }

  /// The object behind a position, which the index covers up to the snapshot; `stored` reads it from the file.
  func object(
    _ identity: Identity, _ layout: ClassLayout, at position: LogPosition, in snapshot: Snapshot,
    stored: ([Int: HistoricalValue]) throws(StorageError) -> ObjectState?
  ) throws(StorageError) -> ObjectState? {
    if let state = recent[identity] ?? older[identity] { return state }
    var later = HistoryIterator.Later()
    try index.forEachChange(of: identity, after: position, snapshot) { change throws(StorageError) in
      later.add(change, layout)
      return !later.isFixed(layout)
    }
    let state: ObjectState?
    switch later.difference {
    case .absent: state = nil
    case .whole(let whole): state = whole
    case .values(let values): state = try stored(values)
    }
    keep(state, for: identity)
    return state
  }

  /// The iterator passes a change of an object.
  func pass(_ change: LoggedChange, of identity: Identity, _ layout: ClassLayout) {
    guard let known = recent[identity] ?? older[identity] else { return }
    switch change.operation {
    case .insert:
      keep(ObjectState(layout, id: change.id, key: change.key, image: change.after), for: identity)
    case .delete: keep(nil, for: identity)
    case .update:
      guard var state = known else { return }
      state.redo(change)
      keep(state, for: identity)
    case .schema: break
    }
  }

  private func keep(_ state: ObjectState?, for identity: Identity) {
    if let old = recent[identity] { recentSize -= ObjectStateCache.size(of: old, identity) }
    recentSize += ObjectStateCache.size(of: state, identity)
    recent[identity] = .some(state)
    precondition(recentSize >= 0, "the bytes of the states that are kept are counted")
    guard recentSize > budget / 2 else { return }
    (older, olderSize) = (recent, recentSize)
    (recent, recentSize) = ([:], 0)
  }

  private func trim() {
    if size > budget { (older, olderSize) = ([:], 0) }
    if size > budget { (recent, recentSize) = ([:], 0) }
  }

  private static func size(of state: ObjectState?, _ identity: Identity) -> Int {
    identity.memorySize + (state?.memorySize ?? 2 * MemoryLayout<ObjectState?>.stride)
  }
}
