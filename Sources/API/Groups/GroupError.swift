/// The reason why something cannot be done with the groups of an app.
public enum GroupError: Error, Hashable {
  case notFound
  /// It is about the classes of several groups, or of all, whose databases have versions and transactions of their own.
  case several
  /// A property links to a class of another group, or a class there links here.
  case link(objectType: String, property: String, target: String)

  // Administration.
  case invalidName
  /// No name of a class, too many of them, or the same twice.
  case invalidClasses
  /// Another group has the class.
  case classTaken(String)
  /// The class is there already, in the database that it would leave.
  case classExists(String)
  case tooMany(limit: Int)
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
