import GatehouseFeeds
import GatehouseStorage

extension CollectionDiff {
  /// The difference that edits, one after the other, make of a list of so many elements: where an element goes elsewhere, it is
  /// deleted and inserted.
  init(_ edits: [ObjectChanges.Edit], of count: Int) {
    // For each element as it is, where it was; nil: it is new.
    var places: [Int?] = Array(0..<count)
    var replaced: Set<Int> = []
    for edit in edits {
      switch edit {
      case .replaced(_, let after): places = Array(repeating: nil, count: after)
      case .elements(let changes):
        for change in changes { Self.apply(change, to: &places, &replaced) }
      }
    }
    self.init()
    let kept = Set(places.compactMap(\.self))
    deletions = (0..<count).filter { !kept.contains($0) }
    insertions = places.indices.filter { places[$0] == nil }
    for (index, place) in places.enumerated() {
      guard let place, replaced.contains(place) else { continue }
      modifications.append(place)
      modificationsNew.append(index)
    }
    precondition(
      count - deletions.count + insertions.count == places.count, "a difference leads from the old to the new"
    )
  }

  private static func apply(
    _ change: ElementChange, to places: inout [Int?], _ replaced: inout Set<Int>
  ) {
    switch change.place {
    case .index(let index):
      switch (change.before, change.after) {
      case (nil, _?) where index <= places.count: places.insert(nil, at: index)
      case (_?, nil) where index < places.count: places.remove(at: index)
      case (_?, _?) where index < places.count: if let place = places[index] { replaced.insert(place) }
      default: break
      }
    case .move(let from, let to):
      guard from < places.count else { return }
      places.remove(at: from)
      places.insert(nil, at: min(to, places.count))
    case .key, .member: break
    }
  }
}
