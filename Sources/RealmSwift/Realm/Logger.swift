import Synchronization

/// Hears of what Realms do that a developer may want to know.
public typealias Logger = RLMLogger

/// The least severity of lines that are logged.
public enum RLMLogLevel: Int, Sendable {
  /// Nothing is logged.
  case off = 0
  /// Mistakes that end the program.
  case fatal = 1
  /// Errors.
  case error = 2
  /// Things that may be errors.
  case warn = 3
  /// Openings and migrations.
  case info = 4
  /// As much as `info`, with details.
  case detail = 5
  /// Transactions.
  case debug = 6
  /// As much as `debug`, with details.
  case trace = 7
  /// All there is.
  case all = 8
}

/// The severity of a line that is logged.
public typealias LogLevel = RLMLogLevel

/// Takes lines with their severity.
public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

/// Hears of what Realms do that a developer may want to know.
public final class RLMLogger: Sendable {
  private struct State {
    var level: LogLevel
    var function: LogFunction?
  }

  private static let current = Mutex(RLMLogger(level: .off))
  private let state: Mutex<State>

  /// The logger of all Realms of the process.
  public static var shared: RLMLogger {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// A logger that writes nowhere, or hands lines to a function.
  public init(level: LogLevel, logFunction: LogFunction? = nil) {
    state = Mutex(State(level: level, function: logFunction))
  }

  /// The least severity of lines that are logged.
  public var level: LogLevel {
    get { state.withLock { $0.level } }
    set { state.withLock { $0.level = newValue } }
  }

  /// Logs a line, if it is severe enough.
  func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    let function = state.withLock {
      $0.level != .off && level.rawValue <= $0.level.rawValue ? $0.function : nil
    }
    function?(level, message())
  }
}
