import GatehouseAPI
import GatehouseBSON
import GatehouseStorage

/// A group of an app's classes, which are in a store of their own, or in several that share their objects.
struct AppGroup: Hashable, Sendable {
  let name: GroupName
  /// Letters and digits that no other group has, nor one that had its name before.
  let identity: String
  /// The number of stores that share the objects by their primary keys; nil: one has all.
  let shards: Int?
  var classes: Set<String>

  init(
    _ name: GroupName, identity: String = ObjectID.generate().description, classes: Set<String>,
    shards: Int? = nil
  ) {
    (self.name, self.identity, self.classes, self.shards) = (name, identity, classes, shards)
  }

  /// Nil: it is none.
  init?(name: String, record: Document) {
    guard let name = GroupName(name), case .string(let identity)? = record["identity"],
      ObjectID(identity) != nil, case .array(let values)? = record["classes"]
    else { return nil }
    let classes = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    guard classes.count == values.count else { return nil }
    var shards: Int?
    switch record["shards"] {
    case .int32(let number)?: shards = Int(number)
    case .int64(let number)?: shards = Int(number)
    case nil: break
    case _?: return nil
    }
    if let shards, !ShardKey.counts.contains(shards) { return nil }
    self.init(name, identity: identity, classes: Set(classes), shards: shards)
  }

  /// The group as files keep it.
  var record: Document {
    var document: Document = [
      "identity": .string(identity), "classes": .array(classes.sorted().map { .string($0) }),
    ]
    if let shards { document.append("shards", .int32(Int32(shards))) }
    return document
  }

  var classGroup: ClassGroup { ClassGroup(name: name.text, classes: classes, shards: shards) }

  /// The stores, in the order of their numbers.
  var stores: [GroupStore] {
    guard let shards else { return [GroupStore(group: self, shard: nil)] }
    return (0..<shards).map { GroupStore(group: self, shard: $0) }
  }

  /// The identities that no other group or app has: its own, and those of its shards.
  var identities: [String] { [identity] + (shards == nil ? [] : stores.map(\.identity)) }
}

/// A store of a group: the only one, or a shard.
struct GroupStore: Hashable, Sendable {
  let group: AppGroup
  /// The number of the shard; nil: the group has none.
  let shard: Int?

  /// The name below the app's: `archive`, or `archive/0`.
  var name: String { group.name.text + (shard.map { "/\($0)" } ?? "") }

  /// Letters and digits that no other store has.
  var identity: String { group.identity + (shard.map { "s\($0)" } ?? "") }

  /// Has a store take this one's classes, and of their objects those that are its own.
  func bound(_ options: inout StoreOptions) {
    options.classBounds = .only(group.classes)
    guard let shard, let count = group.shards else { return }
    options.ownsKey = { ShardKey.shard(of: $0, among: count) == shard }
  }
}

extension [AppName: [GroupStore]] {
  /// Throws ``GatehouseAPI/GroupError/tooManyStores(limit:)`` where a group that is not there yet would make them more than there may be.
  func requireRoom(
    for group: GroupName, of app: AppName, shards: Int?, atMost limit: Int
  ) throws(GroupError) {
    guard self[app]?.contains(where: { $0.group.name == group }) != true else { return }
    let count = values.reduce(0) { $0 + $1.count }
    guard count + (shards ?? 1) <= limit else { throw .tooManyStores(limit: limit) }
  }
}

extension [AppGroup] {
  /// Returns the groups with one added or in the place of that of its name, sorted by name.
  func with(_ group: AppGroup) -> [AppGroup] {
    (filter { $0.name != group.name } + [group]).sorted { $0.name.text < $1.name.text }
  }

  /// Returns what the group is when it has other classes.
  ///
  /// - Parameters:
  ///   - shards: The number of stores that share the objects, which stays what it is; nil: one has all, or what it is.
  ///   - main: The classes that are there in the app's own store.
  ///   - own: Those that are there in the group's.
  ///
  /// Throws ``GatehouseAPI/GroupError``.
  func group(
    _ name: GroupName, with classes: Set<String>, shards: Int?, main: Set<String>, own: Set<String>
  ) throws(GroupError) -> AppGroup {
    let present = first { $0.name == name }
    guard present != nil || count < ClassGroup.mostGroups else {
      throw .tooMany(limit: ClassGroup.mostGroups)
    }
    for other in self where other.name != name {
      if let taken = other.classes.intersection(classes).min() { throw .classTaken(taken) }
    }
    if let present, let shards, present.shards != shards { throw .invalidShards }
    let known = present?.classes ?? []
    // Objects are not moved from one store to another.
    let moved = main.intersection(classes.subtracting(known)).union(
      own.intersection(known.subtracting(classes)))
    if let name = moved.min() { throw .classExists(name) }
    precondition(
      allSatisfy { $0.name == name || $0.classes.isDisjoint(with: classes) }, "a class is in one group")
    guard var group = present else {
      return AppGroup(name, classes: classes, shards: shards)
    }
    group.classes = classes
    return group
  }
}
