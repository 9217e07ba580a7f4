import BSON
import HTTP
import Storage
import Telemetry

// What is our fault, or the disk's, is told to clients by a code only: the log has the cause.
extension Gateway {
  /// Writes a line about a request that failed for no fault of its client.
  func log(_ error: any Error, _ code: Problem.Code, of request: Request, on route: String?) {
    if code.isFailure { write(error, code, of: request, on: route) }
  }

  /// Has a line written where the store fails half-way through a streamed answer: all that its client sees is the end of
  /// the connection.
  func logFailure(of body: inout ResponseBody, _ request: Request, on route: String?) {
    guard report != nil, case .stream(let stream) = body else { return }
    body = .stream { writer in
      do { try await stream(writer) } catch let error as StorageError where error != .cancelled {
        self.write(error, Problem(error).code, of: request, on: route)
        throw error
      }
    }
  }

  private func write(_ error: any Error, _ code: Problem.Code, of request: Request, on route: String?) {
    guard let report else { return }
    var clock = LogClock()
    var line = LogLine(.error, "failure", clock: &clock)
    line.append("request", request.id.description)
    line.append("method", request.method.rawValue)
    line.append("route", route ?? "")
    line.append("code", code.rawValue)
    line.append("cause", FailureCause.text(of: error))
    report(line.line)
  }
}

extension Problem.Code {
  /// Whether what went wrong here is worth a line: of what is only busy, or gone, there may be many.
  fileprivate var isFailure: Bool {
    status.rawValue == 500 || self == .storageFull || self == .storeUnavailable
  }
}

/// An error as the log may have it: which rule it is, without the values in it, which may be a client's.
enum FailureCause {
  static func text(of error: any Error) -> String {
    switch error {
    case let error as OperationError: text(of: error.reason)
    case let error as WriteFailure: text(of: error.reason)
    // SQLite's messages name tables and columns, never values: those are bound.
    case StorageError.sqlite(let code, let message): "SQLite \(code): \(message)"
    case StorageError.corrupt(let what): "StorageError.corrupt: \(what)"
    case StorageError.commitHookFailed(let what): "StorageError.commitHookFailed: \(what)"
    default: "\(type(of: error))\(name(of: error).map { ".\($0)" } ?? "")"
    }
  }

  /// The name of an enum's case.
  private static func name(of error: any Error) -> String? {
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum else { return nil }
    return mirror.children.first?.label ?? "\(error)"
  }
}
