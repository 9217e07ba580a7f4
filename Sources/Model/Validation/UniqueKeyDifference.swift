/// Finds what becomes unique in a class, and what no longer is. The order of the properties in a key does not matter.
struct UniqueKeyDifference {
  private let old: ObjectType
  private let new: ObjectType
  /// For each property that stays, where it is in the new class.
  private let successors: [Int: Int]

  init(from old: ObjectType, to new: ObjectType, successors: [Int: Int]) {
    self.old = old
    self.new = new
    self.successors = successors
  }

  var changes: [SchemaChange] {
    let before = old.uniqueKeys.map { key in
      let kept = Set(key.compactMap { successors[$0] })
      return kept.count == key.count ? kept : nil
    }
    let after = new.uniqueKeys.map { Set($0) }
    let stay = Set(successors.values)
    // A property that is new, or goes, says so itself.
    let added = zip(new.uniqueKeys, after).filter { key, set in
      !before.contains(set) && !(key.count == 1 && !stay.contains(key[0]))
    }
    let removed = zip(old.uniqueKeys, before).filter { key, set in
      !(key.count == 1 && set == nil) && set.map { !after.contains($0) } ?? true
    }
    return added.map { .uniqueAdded(objectType: new.name, properties: new.names(at: $0.0)) }
      + removed.map { .uniqueRemoved(objectType: old.name, properties: old.names(at: $0.0)) }
  }
}
