/// A function that can be called by its name.
public struct Function: Hashable, Sendable {
  /// The engine that runs the function.
  public enum Runtime: String, Hashable, Sendable {
    /// A closure of the program that the gateway is part of.
    case swift
    /// A JavaScript file, in a worker process.
    case node
    /// A program of any language, in a worker process.
    case executable
  }

  public let name: String
  public let runtime: Runtime
  /// The names of its parameters, where they are known.
  public var parameters: [String]?
  /// Only other functions may call it.
  public var isPrivate = false
  /// Nobody may call it.
  public var isDisabled = false
  /// Whether the function asks for data as the gateway itself, and not as its caller.
  public var runsAsSystem = false
  /// A call goes on when its client has left.
  var outlivesClient = false
  /// Its arguments may be in the log.
  var logsArguments = false
  /// Who may call it (`can_evaluate`); nil: everybody.
  var rule: Rule?
  /// Seconds that a call may take; nil: as long as it takes.
  public var timeLimit: Int?
  /// Megabytes that a worker may have; nil: closures have no limit of their own.
  public var memoryLimit: Int?
  /// Calls that may run at once; nil: any number.
  public var concurrency: Int?
  /// The file that it is in, from the functions directory, or the command that runs it.
  var source = Source.closure
  /// Whether it may start processes.
  var startsProcesses = false

  enum Source: Hashable, Sendable {
    case closure
    case file(String)
    case command([String])
  }

  init(_ name: String, _ runtime: Runtime) {
    self.name = name
    self.runtime = runtime
  }
}
