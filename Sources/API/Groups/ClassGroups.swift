import GatehouseHTTP

/// A group of an app's classes: they are in a database of their own.
public struct ClassGroup: Hashable, Sendable {
  public let name: String
  public let classes: Set<String>
  /// The number of stores that share the objects by their primary keys; nil: one has all.
  public let shards: Int?

  public init(name: String, classes: Set<String>, shards: Int? = nil) {
    (self.name, self.classes, self.shards) = (name, classes, shards)
  }
}

/// The groups of an app, and which of them each class is in.
struct ClassGroups: Sendable {
  /// The name of the group of all classes that are in no other, which is the app's own database.
  static let main = "main"
  /// Begins the paths that name a group.
  static let path = "/v1/groups/"

  private let owners: [String: String]

  init(_ groups: Set<ClassGroup>) {
    var owners: [String: String] = [:]
    for group in groups {
      for name in group.classes {
        precondition(owners[name] == nil, "a class is in one group")
        owners[name] = group.name
      }
    }
    self.owners = owners
  }

  /// Returns the target of a resource of the main group by a path that names it.
  static func target(ofMain target: Target) -> Target {
    Target(path: "\(path)\(main)\(target.path.dropFirst(3))", query: target.query)
  }

  /// Returns the name of the group that a class is in, or would be if there were one of that name.
  func group(of className: String) -> String { owners[className] ?? ClassGroups.main }

  /// Returns the group that all of the classes are in; nil: there are none. Throws ``GroupError/several``.
  func commonGroup(of classes: [String]) throws(GroupError) -> String? {
    guard let first = classes.first.map(group) else { return nil }
    guard classes.allSatisfy({ group(of: $0) == first }) else { throw .several }
    return first
  }
}

/// The place of a database among an app's groups.
struct GroupPlace: Sendable {
  let groups: ClassGroups
  let name: String
  /// The number of the shard; nil: the group has none.
  var shard: Int?

  /// Whether a class is in the group, or would be.
  func contains(_ className: String) -> Bool { groups.group(of: className) == name }
}
