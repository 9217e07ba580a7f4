/// The least severity of lines about events and synchronization that are logged.
public typealias SyncLogLevel = RLMLogLevel

/// The configuration of a Realm whose reads and writes can be recorded.
///
/// Events are objects of class `AuditEvent` in the Realm's own store, chained by hashes: `_id`, `timestamp`, `activity`, `event`, `data`,
/// `chain`, and a text for each key of the metadata. A gateway that has the directory, or the store, shows them as the collection
/// `AuditEvent`.
@frozen
public struct EventConfiguration: Sendable {
  /// Texts that every event gets, by names of 1 to 63 bytes that are none of the events' own properties.
  public var metadata: [String: String]?
  /// The user who is the caller of the program's own events; nil: the program itself.
  public var syncUser: User?
  /// The name that the events' partition would have with a synchronized app: not empty, and without slashes.
  public var partitionPrefix: String = "events"
  /// Takes lines about scopes that were forgotten and events that could not be stored.
  @preconcurrency public var logger: (@Sendable (SyncLogLevel, String) -> Void)?
  /// Takes the errors of events that nobody waits for; nil: they end the program, as in Realm.
  @preconcurrency public var errorHandler: (@Sendable (any Swift.Error) -> Void)?

  /// A configuration: without anything, one of events without metadata.
  public init(
    metadata: [String: String]? = nil, syncUser: User? = nil, partitionPrefix: String = "events",
    logger: (@Sendable (SyncLogLevel, String) -> Void)? = nil,
    errorHandler: (@Sendable (any Swift.Error) -> Void)? = nil
  ) {
    self.metadata = metadata
    self.syncUser = syncUser
    self.partitionPrefix = partitionPrefix
    self.logger = logger
    self.errorHandler = errorHandler
  }
}

/// A class that says itself what events record of its objects.
public protocol CustomEventRepresentable {
  /// Returns JSON that is recorded in place of the object's properties. Where it is none, the scope's commit fails.
  func customEventRepresentation() -> String
}
