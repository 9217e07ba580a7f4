/// The reads, writes and events that are recorded without a client asking for it.
public struct Policy: Hashable, Sendable {
  /// The accesses to a class that are always recorded.
  public struct Kinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    public static let read = Kinds(rawValue: 1)
    public static let write = Kinds(rawValue: 2)
  }

  /// Whether anything is recorded at all.
  public var isEnabled: Bool
  /// By class; `*` stands for those that are not named.
  public var always: [String: Kinds]
  /// Events that belong to no class: authentication failures, refusals, function calls, changes of the schema.
  public var events: Set<StoredEvent.Kind>

  public init(
    isEnabled: Bool = true, always: [String: Kinds] = [:], events: Set<StoredEvent.Kind> = []
  ) {
    self.isEnabled = isEnabled
    self.always = always
    self.events = events
  }

  public static let off = Policy(isEnabled: false)
  public static let onDemand = Policy()

  /// Whether that is always recorded of the class. The trail itself never is: each look at it would make it longer
  /// by itself.
  func records(_ kind: Kinds, of objectType: String) -> Bool {
    guard objectType != StoredEvent.className else { return false }
    return (always[objectType] ?? always["*"] ?? []).contains(kind)
  }

  /// Whether that is always recorded of any class.
  func records(_ kind: Kinds) -> Bool {
    isEnabled && always.values.contains { $0.contains(kind) }
  }
}
