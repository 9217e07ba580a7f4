/// The rights of a group of callers, class by class.
public struct Role: Hashable, Sendable {
  public let name: String
  /// Whether the role allows everything, changes of the schema, the keys and the roles included.
  public let isAdministrator: Bool
  /// The classes that have rights of their own.
  public let classes: [String: ClassRole]
  /// The rights for all classes that have none of their own.
  public let others: ClassRole
  /// Whether callers may store events of their own in the audit trail, which nobody can remove.
  public let recordsEvents: Bool
  /// Whether filters of the role name the time of the request.
  public let usesTime: Bool

  public init(
    _ name: String, classes: [String: ClassRole] = [:], others: ClassRole = .none, recordsEvents: Bool = false
  ) {
    self.init(
      name, classes: classes, others: others, isAdministrator: false, recordsEvents: recordsEvents)
  }

  private init(
    _ name: String, classes: [String: ClassRole], others: ClassRole, isAdministrator: Bool,
    recordsEvents: Bool
  ) {
    usesTime = ([others] + classes.values).contains { $0.read.usesTime || $0.write.usesTime }
    self.recordsEvents = recordsEvents
    self.name = name
    self.classes = classes
    self.others = others
    self.isAdministrator = isAdministrator
  }

  /// Allows everything.
  public static let administrator = Role(
    "admin", classes: [:], others: .all, isAdministrator: true, recordsEvents: true)
  /// Allows reading and writing the objects of all classes.
  public static let writer = Role("write", others: .all)
  /// Allows reading the objects of all classes.
  public static let reader = Role("read", others: ClassRole(read: .always, write: .never))

  /// Allows reading the server's metrics, and no objects.
  public static let scraper = Role("metrics")

  /// The roles that always exist.
  static let builtIn = [administrator, writer, reader, scraper]

  /// Whether the server's metrics may be read.
  public var readsMetrics: Bool { isAdministrator || self == .scraper }

  /// Whether the role is a built-in one, perhaps limited to some classes: a new ``Policy`` does not change it.
  public var isBuiltIn: Bool { Role.builtIn.contains { $0.name == name } }

  /// Whether the objects of every class may be read and written without any bound.
  public var isUnbounded: Bool { isAdministrator || classes.isEmpty && others == .all }

  /// Returns the role limited to the classes. An administrator's role becomes one without administration.
  public func limited(to names: [String]) -> Role {
    guard !names.isEmpty else { return self }
    let kept = names.map { ($0, classes[$0] ?? others) }
    return Role(
      name, classes: Dictionary(kept) { first, _ in first }, recordsEvents: recordsEvents && !isAdministrator)
  }
}
