internal import GatehouseBSON
internal import GatehouseTelemetry

/// The log record of a call that is over. Without its result, and with arguments only where the function's entry
/// allows it: they may hold what is nobody's business.
struct CallRecord {
  let function: String
  let requestID: String?
  let outcome: String
  let nanoseconds: Int
  var arguments: [Value]?
  var stack: String?
  var console: [(level: String, text: String)] = []
  /// The end of what the process wrote to standard error.
  var errors = ""

  /// A line for the call, and one for each that the function said.
  func lines(_ clock: inout LogClock) -> [UInt8] {
    var lines: [UInt8] = []
    for said in console {
      var line = begin(CallRecord.level(said.level), "function console", clock: &clock)
      line.append("text", said.text)
      lines += line.line
    }
    var line = begin(outcome == CallRecord.fine ? .info : .warning, "function call", clock: &clock)
    line.append("outcome", outcome)
    line.append("microseconds", nanoseconds / 1_000)
    if let arguments { line.append("arguments", CallRecord.text(of: arguments)) }
    if let stack { line.append("stack", stack) }
    if !errors.isEmpty { line.append("stderr", errors) }
    return lines + line.line
  }

  private static func level(_ name: String) -> LogLine.Level {
    switch name {
    case "error": .error
    case "warn": .warning
    default: .info
    }
  }

  static let fine = "ok"

  /// Extended JSON, cut off where it is long.
  private static func text(of arguments: [Value]) -> String {
    String(decoding: Value.array(arguments).extendedJSON.prefix(4096), as: UTF8.self)
  }

  private func begin(_ level: LogLine.Level, _ message: StaticString, clock: inout LogClock) -> LogLine {
    var line = LogLine(level, message, clock: &clock)
    line.append("function", function)
    if let requestID { line.append("request", requestID) }
    return line
  }
}

extension FunctionError {
  /// One word for logs and metrics.
  var outcome: String {
    switch self {
    case .notFound: "not_found"
    case .unwritableArguments: "refused"
    case .isPrivate, .isDisabled, .isProtected, .needsCredential: "refused"
    case .thrown: "thrown"
    case .syntax, .notAFunction, .malformedConfiguration, .wrongMember: "invalid"
    case .notSerialisable, .resultTooDeep, .resultTooLarge, .malformedAnswer: "bad_result"
    case .crashed(.outOfMemory): "out_of_memory"
    case .crashed: "crashed"
    case .timedOut: "timed_out"
    case .queueFull: "queue_full"
    case .overBudget: "over_budget"
    case .abandoned: "abandoned"
    case .runtimeMissing, .cannotStart: "unavailable"
    }
  }
}
