/// A function that is called whenever something happens.
public struct Trigger: Hashable, Sendable {
  /// The things that it can be called for.
  public enum Cause: Hashable, Sendable {
    case changes(WatchedChanges)
    case time(Schedule)
  }

  /// Unique among the triggers of a store; by it the position is kept.
  public let name: String
  public let cause: Cause
  /// The function, which is called as the gateway itself.
  public let function: String
  /// Whether nothing happens until it is enabled again.
  public var isDisabled = false
  /// Whether it is not called for what happened while it was disabled, or the server was not there.
  public var skipsMissed = false

  public init(_ name: String, on cause: Cause, calls function: String) {
    self.name = name
    self.cause = cause
    self.function = function
  }
}

/// The changes of a class that a trigger is called for.
public struct WatchedChanges: Hashable, Sendable {
  /// The kinds of changes, as App Services names them.
  public enum Operation: String, CaseIterable, Hashable, Sendable {
    case insert = "INSERT"
    case update = "UPDATE"
    /// A new state of the whole object: the change log has it as an update, which counts as both.
    case replace = "REPLACE"
    case delete = "DELETE"
  }

  public let objectType: String
  /// The name of the database that the function is told; it has no other meaning.
  public var database = ""
  public var operations = Set(Operation.allCases)
  /// RQL about the object itself, as it is after the change, or was before it is gone; nil: every object.
  public var filter: String?
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
