public import GatehouseBSON

/// A function that is called, or a webhook that is sent, whenever something happens.
public struct Trigger: Hashable, Sendable {
  /// The things that it can be called for.
  public enum Cause: Hashable, Sendable {
    case changes(WatchedChanges)
    case time(Schedule)
    case authentication(WatchedLogins)
  }

  /// The things that it can do.
  public enum Action: Hashable, Sendable {
    /// Calls the function of that name, as the gateway itself.
    case function(String)
    case webhook(Webhook)
  }

  /// Unique among the triggers of a store; by it the position is kept.
  public let name: String
  public let cause: Cause
  public let action: Action
  /// Whether nothing happens until it is enabled again.
  public var isDisabled = false
  /// Whether it is not called for what happened while it was disabled.
  public var skipsMissed = false

  public init(_ name: String, on cause: Cause, does action: Action) {
    self.name = name
    self.cause = cause
    self.action = action
  }

  public init(_ name: String, on cause: Cause, calls function: String) {
    self.init(name, on: cause, does: .function(function))
  }
}

/// A request that is sent to another server: POST of the event as Extended JSON.
public struct Webhook: Hashable, Sendable {
  /// `http` or `https`.
  public let url: String
  /// The text whose HMAC-SHA-256 of the content is the field `Endpoint-Signature`; nil: nothing is signed.
  public let secret: String?

  public init(_ url: String, secret: String? = nil) {
    (self.url, self.secret) = (url, secret)
  }
}

/// The logins, and the users who come and go, that a trigger is called for.
public struct WatchedLogins: Hashable, Sendable {
  /// The kinds of events, as App Services names them.
  public enum Operation: String, Hashable, Sendable {
    case login = "LOGIN"
    /// A user who was not there before.
    case create = "CREATE"
    case delete = "DELETE"
  }

  public let operation: Operation
  /// The providers of the login, or of the user's identities; empty: any.
  public let providers: [String]

  public init(_ operation: Operation, by providers: [String] = []) {
    (self.operation, self.providers) = (operation, providers)
  }
}

/// The changes of a class that a trigger is called for.
public struct WatchedChanges: Hashable, Sendable {
  /// The kinds of changes, as App Services names them.
  public enum Operation: String, CaseIterable, Hashable, Sendable {
    case insert = "INSERT"
    case update = "UPDATE"
    /// A new state of the whole object.
    case replace = "REPLACE"
    case delete = "DELETE"
  }

  public let objectType: String
  /// The name of the database that the function is told; it has no other meaning.
  public var database = ""
  public var operations = Set(Operation.allCases)
  /// RQL about the object itself, as it is after the change, or was before it is gone; nil: every object.
  public var filter: String?
  /// MongoDB's filter about the change event as the function would get it; nil: every event.
  public var match: Document?
  /// MongoDB's projection of that event; nil: all of it.
  public var projection: Document?
  /// Whether the function is given the object as it is after an update; it always is after an insertion.
  public var showsObject = false
  /// Whether it is given the object as it was before.
  public var showsObjectBefore = false
  /// Whether several calls may run at once, so that a later change may be told before an earlier one.
  public var isUnordered = false
  /// Whether it goes on with what the change log still has, where that has lost some; otherwise it is suspended.
  public var toleratesGaps = false

  public init(of objectType: String) {
    self.objectType = objectType
  }
}
