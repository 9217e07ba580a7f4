/// A function that can be called by its name.
public struct Function: Hashable, Sendable {
  /// The engine that runs the function.
  public enum Runtime: String, Hashable, Sendable {
    /// A closure of the program that embeds the gateway.
    case swift
    /// A JavaScript file, in a worker process.
    case node
    /// A program of any language, in a worker process.
    case executable
  }

  public let name: String
  public let runtime: Runtime
  /// The names of the function's parameters, where they are known.
  public var parameters: [String]?
  /// Whether only other functions may call it.
  public var isPrivate = false
  /// Whether nobody may call it.
  public var isDisabled = false
  /// Whether the function asks for data as the gateway itself, and not as its caller.
  public var runsAsSystem = false
  /// The user whom the function asks for data as, in the place of its caller; nil: it does not say.
  public var actingUser: ActingUser?
  /// Whether a call goes on when its client has left.
  var isDetached = false
  /// Whether the log may show its arguments.
  var logsArguments = false
  /// The rule for its callers (`can_evaluate`); nil if whoever shows a credential may call it.
  var rule: RuleExpression?
  /// The most seconds of a call; nil if there is no limit.
  public var timeLimit: Int?
  /// The most megabytes of a worker; nil for closures.
  public var memoryLimit: Int?
  /// The most calls at once; nil if there is no limit.
  public var concurrency: Int?
  /// The function's file, from the functions directory, or the command that runs it.
  var source = Source.closure
  /// Whether the function may start processes.
  var startsProcesses = false

  /// The user whom a function acts as (`run_as_user_id`).
  public enum ActingUser: Hashable, Sendable {
    /// The one with that identifier.
    case id(String)
    /// The one whose identifier another function returns, which gets the same arguments.
    case result(of: String)
  }

  enum Source: Hashable, Sendable {
    case closure
    case file(String)
    case command([String])
  }

  /// Whether it is done with the rights of its caller: neither as the system nor as a user whom it names.
  public var needsCaller: Bool { !runsAsSystem && actingUser == nil }

  init(_ name: String, _ runtime: Runtime) {
    self.name = name
    self.runtime = runtime
  }
}
