import GatehouseAPI
import GatehouseBSON

/// A group of an app's classes, which are in a store of their own.
struct AppGroup: Hashable, Sendable {
  let name: GroupName
  /// Letters and digits that no other group has, nor one that had its name before.
  let identity: String
  var classes: Set<String>

  init(_ name: GroupName, identity: String = ObjectID.generate().description, classes: Set<String>) {
    (self.name, self.identity, self.classes) = (name, identity, classes)
  }

  /// Nil: it is none.
  init?(name: String, record: Document) {
    guard let name = GroupName(name), case .string(let identity)? = record["identity"],
      ObjectID(identity) != nil, case .array(let values)? = record["classes"]
    else { return nil }
    let classes = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    guard classes.count == values.count else { return nil }
    self.init(name, identity: identity, classes: Set(classes))
  }

  /// The group as files keep it.
  var record: Document {
    ["identity": .string(identity), "classes": .array(classes.sorted().map { .string($0) })]
  }

  var classGroup: ClassGroup { ClassGroup(name: name.text, classes: classes) }
}

extension [AppGroup] {
  /// Returns the groups with one added or in the place of that of its name, sorted by name.
  func with(_ group: AppGroup) -> [AppGroup] {
    (filter { $0.name != group.name } + [group]).sorted { $0.name.text < $1.name.text }
  }

  /// Returns what the group is when it has other classes.
  ///
  /// - Parameters:
  ///   - main: The classes that are there in the app's own store.
  ///   - own: Those that are there in the group's.
  ///
  /// Throws ``GatehouseAPI/GroupError``.
  func group(
    _ name: GroupName, with classes: Set<String>, main: Set<String>, own: Set<String>
  ) throws(GroupError) -> AppGroup {
    let present = first { $0.name == name }
    guard present != nil || count < ClassGroup.mostGroups else {
      throw .tooMany(limit: ClassGroup.mostGroups)
    }
    for other in self where other.name != name {
      if let taken = other.classes.intersection(classes).min() { throw .classTaken(taken) }
    }
    let known = present?.classes ?? []
    // Objects are not moved from one store to another.
    let moved = main.intersection(classes.subtracting(known)).union(
      own.intersection(known.subtracting(classes)))
    if let name = moved.min() { throw .classExists(name) }
    guard var group = present else { return AppGroup(name, classes: classes) }
    group.classes = classes
    return group
  }
}
