import GatehouseHTTP

/// A rule for classes whose objects are divided among shards.
public enum ShardRule: Hashable, Sendable {
  case primaryKey
  case links(property: String)
  case uniqueKey(property: String)
}

/// The reason why something cannot be done with the groups of an app.
public enum GroupError: Error, Hashable {
  case notFound
  /// It is about the classes of several groups, or of all, whose databases have versions and transactions of their own.
  case several
  /// A property links to a class of another group, or a class there links here.
  case link(objectType: String, property: String, target: String)

  /// It is about the objects of several shards, whose databases have versions and transactions of their own.
  case severalShards
  /// The schemas of a group's shards are not the same, as the last change of it has not come to all.
  case shardsDiffer
  /// Some shards have done their part of a write, and others have not.
  case partlyDone
  /// The class cannot be divided among shards.
  case unshardable(objectType: String, ShardRule)

  // Administration.
  case invalidName
  /// A number of shards that a group cannot have, or another one than it has.
  case invalidShards
  /// No name of a class, too many of them, or the same twice.
  case invalidClasses
  /// Another group has the class.
  case classTaken(String)
  /// The class is there already, in the database that it would leave.
  case classExists(String)
  case tooMany(limit: Int)
  /// The groups of all apps have as many stores as they may.
  case tooManyStores(limit: Int)
  /// It has objects, and is not removed for somebody who does not say its name twice.
  case notEmpty
}

extension GroupError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .notFound: Problem(.groupNotFound, "There is no group of that name.")
    case .several:
      Problem(
        .severalGroups,
        "This is about the classes of one group, and they are in several: /groups/NAME in the path names one."
      )
    case .link(let objectType, let property, let target):
      Problem(
        .linkToOtherGroup, "Classes of different groups are not linked.",
        errors: [
          Problem.Entry(
            .schema(objectType: objectType, property: property), "link_to_other_group",
            detail: "The class “\(target)” is in another group.")
        ])
    case .severalShards:
      Problem(
        .severalShards,
        "This is about objects of one shard, which their primary key tells, and not for several: /groups/NAME/0 in the path names one."
      )
    case .shardsDiffer:
      Problem(
        .shardsDiffer, "The shards have different schemas: apply the last change again.",
        fields: [Fields.Line(name: "retry-after", value: "1")])
    case .partlyDone:
      Problem(
        .partlyDone,
        "Some shards have done their part, “count” objects, and others have not: “failures” says why. With an Idempotency-Key the same request does what is left."
      )
    case .unshardable(let name, let rule):
      Problem(
        .unshardableClass, "Objects of such a class are not divided among shards.",
        errors: [
          Problem.Entry(
            .schema(objectType: name, property: rule.property), "unshardable_class", detail: rule.text)
        ])
    case .invalidShards:
      Problem(
        .invalidGroup,
        "“shards” is a number from \(ShardKey.counts.lowerBound) to \(ShardKey.counts.upperBound), and stays as it was when the group was made."
      )
    case .invalidName:
      Problem(
        .invalidGroup,
        "A name has 1 to 63 of A–Z, a–z, 0–9, - and _, begins with a letter, and is neither “main” nor a word that is reserved."
      )
    case .invalidClasses:
      Problem(
        .invalidGroup, "“classes” are 1 to \(ClassGroup.mostClasses) different names of classes.")
    case .classTaken(let name):
      Problem(.classInOtherGroup, "The class “\(name)” is for another group of the app.")
    case .classExists(let name):
      Problem(
        .classExists,
        "The class “\(name)” is there already: a class gets into another group, or out of one, before it is made."
      )
    case .tooMany(let limit): Problem(.tooManyGroups, "An app has at most \(limit) groups.")
    case .tooManyStores(let limit):
      Problem(
        .tooManyGroups,
        "The groups of all apps have at most \(limit) databases together, one each or one for each shard (apps.stores)."
      )
    case .notEmpty:
      Problem(.groupNotEmpty, "The group has objects, which would be lost: say confirm=NAME, with its name.")
    }
  }
}

extension ClassGroup {
  /// The most classes that a group may have.
  public static let mostClasses = 256
  /// The most groups that an app may have, each of which is a file and an open store.
  public static let mostGroups = 16
}

extension ShardRule {
  fileprivate var property: String? {
    switch self {
    case .primaryKey: nil
    case .links(let property), .uniqueKey(let property): property
    }
  }

  fileprivate var text: String {
    switch self {
    case .primaryKey:
      "Its primary key is to be an int, string, objectId or uuid that is not counted by the server."
    case .links: "Its objects link to none, and no query looks for those that link to one."
    case .uniqueKey: "Only the primary key is unique."
    }
  }
}
