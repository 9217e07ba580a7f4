import GatehouseBSON
public import GatehouseHTTP
import GatehouseStorage
import GatehouseTelemetry

// A failure that is our fault, or the disk's, is told to clients by a code only: the log has the cause.
extension Gateway {
  private static let errorFormats = Feature.all.compactMap(\.errorFormat)

  /// Refuses requests that nobody may make, whoever asks. Throws ``APIError/misdirected`` and
  /// ``APIError/crossOrigin``.
  func admit(_ request: Request) throws(APIError) {
    guard request.peer == .local || policies.hosts.allows(request.fields) else { throw .misdirected }
    // Where no credential is asked for, any page could act as whoever reads it.
    if request.isCrossOrigin(allowed: policies.cors?.origins), callers.needNoCredential { throw .crossOrigin }
  }

  /// Answers a request that is for no app, or for one that cannot be used.
  public func refuse(_ request: Request, _ error: AppError) async -> Response {
    context.data.policies.refresh()
    return await refuse(request, as: nil, error)
  }

  /// Answers a request that cannot be answered, whoever asks; `requester` nil: a client does.
  func refuse(_ request: Request, as requester: FunctionRequester?, _ error: any Error) async -> Response {
    var (progress, failure) = (Progress(), error)
    if requester == nil {
      do {
        try admit(request)
        try count(request, by: nil, &progress)
      } catch {
        failure = error
      }
    }
    var response = await respond(to: request, failure: failure, progress)
    policies.cors?.apply(to: &response, for: request)
    return response
  }

  /// Answers a request that failed, after that has been logged and recorded.
  func respond(to request: Request, failure error: any Error, _ progress: Progress) async -> Response {
    let problem = Problem(error)
    // A request that failed for a fault of its client is no line in the log.
    if problem.code.isFailure {
      report?(LogLine.failure(error, problem.code, of: request, on: progress.route))
    }
    await context.audit.record(problem, of: request, by: progress.caller, on: progress.route)
    let path = request.target.path
    var response =
      Gateway.errorFormats.first { path.hasPrefix($0.path) }?.response(error, request)
      ?? problem.response(to: request)
    if problem.code == .notLeader, let cluster { response.note(leader: cluster.standing().leader) }
    return response
  }

  /// Has a line written where the store fails half-way through a streamed answer: all that its client sees is the end
  /// of the connection.
  func logFailure(of body: inout ResponseBody, _ request: Request, on route: String?) {
    guard let report, case .stream(let stream) = body else { return }
    body = .stream { writer in
      do { try await stream(writer) } catch let error as StorageError where error != .cancelled {
        report(LogLine.failure(error, Problem(error).code, of: request, on: route))
        throw error
      }
    }
  }
}

extension LogLine {
  /// Returns the line about a request that has failed here.
  fileprivate static func failure(
    _ error: any Error, _ code: Problem.Code, of request: Request, on route: String?
  ) -> [UInt8] {
    var clock = LogClock()
    var line = LogLine(.error, "failure", clock: &clock)
    line.append("request", request.id.description)
    line.append("method", request.method.rawValue)
    line.append("route", route ?? "")
    line.append("code", code.rawValue)
    line.append("cause", FailureCause.text(of: error))
    return line.line
  }
}

extension Problem.Code {
  /// Whether what went wrong here is worth a line: of what is only busy, or gone, there may be many.
  fileprivate var isFailure: Bool {
    status.rawValue == 500 || self == .storageFull || self == .storeUnavailable
  }
}

extension Error {
  /// Whether the schema that a request was decoded for is no longer the store's.
  var isSchemaChange: Bool {
    switch self {
    case let error as StorageError: error == .schemaChanged
    case let error as OperationError: error.reason == .schemaChanged
    case let error as WriteError: error.reason == .schemaChanged
    default: false
    }
  }
}

/// An error as the log may have it: which rule it is, without the values in it, which may be a client's.
enum FailureCause {
  static func text(of error: any Error) -> String {
    switch error {
    case let error as OperationError: text(of: error.reason)
    case let error as WriteError: text(of: error.reason)
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
