/// The difference between two states of a collection, as Realm tells it (`RealmCollectionChange`): delete, then
/// insert, then look
/// at what was modified. All indices ascend.
public struct CollectionDiff: Hashable, Sendable {
  /// Where deleted elements were, in the old collection.
  public var deletions: [Int] = []
  /// Where inserted elements are, in the new collection.
  public var insertions: [Int] = []
  /// Where modified elements were, in the old collection.
  public var modifications: [Int] = []
  /// Where they are, in the new collection.
  public var modificationsNew: [Int] = []

  public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

  /// No difference.
  public init() {}

  /// Between two collections, of which each has an element once. What changes its place among the others is deleted
  /// and inserted (C:impl/collection_change_builder.cpp); as few as can be.
  public init<Element: Hashable>(from old: [Element], to new: [Element], isModified: (Element) -> Bool) {
    let kept = old == new ? Array(old.indices.map { ($0, $0) }) : CollectionDiff.kept(old, new)
    var (oldEnd, newEnd) = (0, 0)
    for (oldIndex, newIndex) in kept {
      deletions += oldEnd..<oldIndex
      insertions += newEnd..<newIndex
      (oldEnd, newEnd) = (oldIndex + 1, newIndex + 1)
      if isModified(new[newIndex]) {
        modifications.append(oldIndex)
        modificationsNew.append(newIndex)
      }
    }
    deletions += oldEnd..<old.count
    insertions += newEnd..<new.count
    precondition(
      old.count - deletions.count + insertions.count == new.count,
      "a difference leads from the old to the new")
  }

  /// The longest sequence of elements that both have in the same order: the longest that ascends, among the old
  /// places of what is left.
  private static func kept<Element: Hashable>(
    _ old: [Element], _ new: [Element]
  ) -> [(old: Int, new: Int)] {
    let places = Dictionary(zip(old, old.indices)) { first, _ in first }
    var left: [(old: Int, new: Int, previous: Int)] = []
    // For each length, where the sequence with the smallest end ends.
    var ends: [Int] = []
    for (newIndex, element) in new.enumerated() {
      guard let oldIndex = places[element] else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if left[ends[middle]].old < oldIndex { low = middle + 1 } else { high = middle }
      }
      left.append((oldIndex, newIndex, low == 0 ? -1 : ends[low - 1]))
      if low == ends.count { ends.append(left.count - 1) } else { ends[low] = left.count - 1 }
    }
    var kept: [(old: Int, new: Int)] = []
    var next = ends.last ?? -1
    while next >= 0 {
      kept.append((left[next].old, left[next].new))
      next = left[next].previous
    }
    return kept.reversed()
  }
}
