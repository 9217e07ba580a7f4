public import GatehouseSharing
public import GatehouseTelemetry

/// The settings of functions and their workers.
public struct FunctionConfiguration: Sendable {
  /// The directory of the functions that are files; nil if there are none.
  public var directory: String?
  /// The program that runs JavaScript: its path, or its name in PATH.
  public var node = "node"
  /// The most workers of one kind, and so calls at once.
  public var workers = 8
  /// The most calls that wait for a worker of one kind.
  public var queue = 1000
  /// The most seconds of a call.
  public var timeLimit = 300
  /// Megabytes of JavaScript's heap in a worker, or of a program's memory.
  public var memoryLimit = 256
  /// The most bytes of a result.
  public var resultSize = 16 << 20
  /// The memory that callers share, in which calls count from 64 KiB on; nil: they do not.
  public var memory: SharedBudget?
  /// The number of calls after which a worker is replaced.
  public var callsPerWorker = 100_000
  /// The name of the environment whose values functions see (`environments/NAME.json`).
  public var environment = ""
  /// The addresses that `context.http` may not connect to; nil: it may connect to all.
  public var refusedAddresses: RefusedAddresses?
  /// Takes lines of the log, JSON objects that end in line feeds.
  public var log: (@Sendable ([UInt8]) -> Void)?
  /// The registry for the metrics of calls.
  public var metrics: Registry?

  /// Addresses that requests of functions do not go to, in CIDR notation.
  public struct RefusedAddresses: Hashable, Sendable {
    /// The ranges that are not public.
    public let special: [String]
    /// The ranges among them that are allowed all the same.
    public let exceptions: [String]

    public init(special: [String], exceptions: [String]) {
      (self.special, self.exceptions) = (special, exceptions)
    }
  }

  public init() {}
}
