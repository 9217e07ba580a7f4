import GatehouseModel
import GatehouseStorage

/// The objects as they were at the point of a walk that does not look at what lies ahead of it.
///
/// An object is read from the file, and the first values that its later changes replaced are put back, which
/// ``HistoryIndex`` finds. From then on each change that the walk passes is applied to it, for as long as there is room
/// for it: two generations, of which the older one is forgotten when the newer one is full.
final class ObjectStateCache {
  let index: HistoryIndex
  /// The bytes that all states may take, about.
  var budget: Int
  private var recent: [Identity: ObjectState?] = [:]
  private var older: [Identity: ObjectState?] = [:]
  /// Of the recent ones.
  private var size = 0

  init(_ index: HistoryIndex, budget: Int) {
    self.index = index
    self.budget = budget
  }

  /// The object behind a position, which the index covers up to the snapshot; `stored` reads it from the file.
  func object(
    _ identity: Identity, _ layout: ClassLayout, at position: LogPosition, _ snapshot: Snapshot,
    _ stored: ([Int: HistoricalValue]) throws(StorageError) -> ObjectState?
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

  /// The walk passes a change of an object.
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
    if let old = recent[identity] { size -= ObjectStateCache.size(of: old) }
    size += ObjectStateCache.size(of: state)
    recent[identity] = .some(state)
    guard size > budget / 2 else { return }
    (older, recent, size) = (recent, [:], 0)
  }

  private static func size(of state: ObjectState?) -> Int {
    state?.values.reduce(160) { $0 + $1.approximateSize } ?? 96
  }
}

extension Mixed {
  /// The bytes that the value takes in memory, about.
  fileprivate var approximateSize: Int {
    switch self {
    case .string(let text): 32 + text.utf8.count
    case .data(let bytes): 48 + bytes.count
    case .list(let values): values.reduce(48) { $0 + $1.approximateSize }
    case .dictionary(let entries):
      entries.reduce(48) { $0 + 32 + $1.key.utf8.count + $1.value.approximateSize }
    case .null, .bool, .int, .float, .double, .decimal128, .date, .objectID, .uuid, .link: 24
    }
  }
}
