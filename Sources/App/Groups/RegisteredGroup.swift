import GatehouseBSON

/// A group of an app's classes in a cluster, as all nodes know it.
struct RegisteredGroup: Hashable, Sendable {
  var group: AppGroup
  /// Whether its log has had entries: one that is empty has lost them.
  var hasBegun = false

  init(_ group: AppGroup) { self.group = group }

  /// Nil: it is none.
  init?(name: String, record: Document) {
    guard let group = AppGroup(name: name, record: record), case .bool(let hasBegun)? = record["hasBegun"]
    else { return nil }
    (self.group, self.hasBegun) = (group, hasBegun)
  }

  var record: Document {
    var document = group.record
    document.append("hasBegun", .bool(hasBegun))
    return document
  }
}

extension [RegisteredGroup] {
  /// Returns the groups with one added or in the place of that of its name, sorted by name.
  func with(_ group: AppGroup) -> [RegisteredGroup] {
    map(\.group).with(group).map { group in
      var registered = RegisteredGroup(group)
      registered.hasBegun = first { $0.group.identity == group.identity }?.hasBegun ?? false
      return registered
    }
  }

  /// Returns the groups, where the log of one has had entries.
  func havingBegun(_ identity: String) -> [RegisteredGroup] {
    map { group in
      var group = group
      if group.group.identity == identity { group.hasBegun = true }
      return group
    }
  }
}
