/// The rights of a group of callers, class by class.
public struct Role: Hashable, Sendable {
  public let name: String
  /// Whether everything is allowed, the schema, the keys and the roles included.
  public let isAdministrator: Bool
  /// The classes that have rights of their own.
  public let classes: [String: ClassRole]
  /// The rights for all classes that have none of their own.
  public let others: ClassRole
  /// Whether events of one's own may be stored with the recorded ones, which nobody can remove.
  public let recordsEvents: Bool

  public init(
    _ name: String, classes: [String: ClassRole] = [:], others: ClassRole = .none, recordsEvents: Bool = false
  ) {
    self.init(name, classes, others, isAdministrator: false, recordsEvents: recordsEvents)
  }

  private init(
    _ name: String, _ classes: [String: ClassRole], _ others: ClassRole, isAdministrator: Bool,
    recordsEvents: Bool
  ) {
    self.recordsEvents = recordsEvents
    self.name = name
    self.classes = classes
    self.others = others
    self.isAdministrator = isAdministrator
  }

  /// Everything.
  public static let administrator = Role(
    "admin", [:], .all, isAdministrator: true, recordsEvents: true)
  /// Reading and writing the objects of all classes.
  public static let writer = Role("write", others: .all)
  /// Reading the objects of all classes.
  public static let reader = Role("read", others: ClassRole(read: .always, write: .never))

  /// The roles that there always are.
  static let builtIn = [administrator, writer, reader]

  /// Whether it is such a role, perhaps for some classes only: a new ``Policy`` does not change it.
  public var isBuiltIn: Bool { Role.builtIn.contains { $0.name == name } }

  /// Whether the objects of every class may be read and written without any bound.
  public var isUnbounded: Bool { isAdministrator || classes.isEmpty && others == .all }

  /// The same, for those classes only. An administrator's role becomes one without administration.
  public func limited(to names: [String]) -> Role {
    guard !names.isEmpty else { return self }
    let kept = names.map { ($0, classes[$0] ?? others) }
    return Role(
      name, classes: Dictionary(kept) { first, _ in first }, recordsEvents: recordsEvents && !isAdministrator)
  }
}
