internal import Telemetry

/// What is reported of a call once it is over. Neither arguments nor results: they may hold what is nobody's
/// business.
struct CallRecord {
  let function: String
  let requestID: String?
  let outcome: String
  let nanoseconds: Int
  var stack: String?
  var console: [(level: String, text: String)] = []
  /// The end of what the process wrote to standard error.
  var errors = ""

  /// A line for the call, and one for each that the function said.
  var lines: [UInt8] {
    var bytes: [UInt8] = []
    for said in console {
      bytes += line(
        said.level == "error" ? .error : said.level == "warn" ? .warning : .info, "function console"
      ) {
        $0.append("text", said.text)
      }
    }
    let isFine = outcome == CallRecord.fine
    return bytes
      + line(isFine ? .info : .warning, "function call") { line in
        line.append("outcome", outcome)
        line.append("microseconds", nanoseconds / 1_000)
        if let stack { line.append("stack", stack) }
        if !errors.isEmpty { line.append("stderr", errors) }
      }
  }

  static let fine = "ok"

  private func line(_ level: LogLine.Level, _ message: String, _ rest: (inout LogLine) -> Void) -> [UInt8] {
    var line = LogLine(level, message)
    line.append("function", function)
    if let requestID { line.append("request", requestID) }
    rest(&line)
    return line.line
  }
}

extension FunctionError {
  /// One word for logs and metrics.
  var outcome: String {
    switch self {
    case .notFound: "not_found"
    case .unwritableArguments: "refused"
    case .isPrivate, .isDisabled, .isProtected: "refused"
    case .thrown: "thrown"
    case .syntax, .notAFunction, .malformedConfiguration: "invalid"
    case .notSerialisable, .resultTooDeep, .resultTooLarge, .malformedAnswer: "bad_result"
    case .crashed(.outOfMemory): "out_of_memory"
    case .crashed: "crashed"
    case .timedOut: "timed_out"
    case .queueFull: "queue_full"
    case .runtimeMissing, .cannotStart: "unavailable"
    }
  }
}
