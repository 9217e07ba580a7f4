import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseSharing
import GatehouseStorage
import GatehouseTelemetry

/// Calls functions for the endpoints of one event loop.
///
/// `@unchecked Sendable`. Because what is set later is set once, before the loop has requests.
final class FunctionAccess: @unchecked Sendable {
  let host: FunctionHost
  private let sessions: SessionValidator
  private let audit: AuditRecording
  private let spans: SpanQueue?
  /// Finds the users whom functions act as; the context sets it. Nil: there are no users.
  var actingUsers: ActingUsers?
  /// Runs the loop's tasks; nil before the loop is known.
  private weak var executor: (any TaskExecutor)?
  /// Answers a request that a function makes; the gateway sets it.
  var respond: @Sendable (Request, FunctionRequester) async -> Response = { request, _ in
    Problem(APIError.stopping).response(to: request)
  }

  /// `host` nil: there are no functions.
  init(_ host: FunctionHost?, _ sessions: SessionValidator, audit: AuditRecording, spans: SpanQueue?) {
    self.spans = spans
    self.host = host ?? FunctionHost()
    self.sessions = sessions
    self.audit = audit
  }

  /// Begins to work on a loop. Called once.
  func start(on loop: any Loop) {
    executor = loop as? any TaskExecutor
  }

  /// Answers what a function asks while it is called by that request. Functions see and do what the gateway's
  /// own resources let their callers, or everything where they run as the system.
  func respondent(for request: Request, by principal: Principal) -> Question.Respondent {
    let transactions = FunctionTransactions()
    return { question in
      switch question {
      case .request: return FunctionAccess.description(of: request)
      case .data(let question):
        let requester = FunctionRequester(
          principal: question.isAsSystem ? FunctionAccess.system : principal, caller: principal)
        guard let part = question.transaction else {
          return await self.reply(to: question, for: request, by: requester)
        }
        return await self.reply(to: question, as: part, of: transactions, for: request, by: requester)
      }
    }
  }

  /// Answers a question that is a part of a transaction, which an error ends.
  private func reply(
    to question: DataQuestion, as part: DataQuestion.TransactionPart, of transactions: FunctionTransactions,
    for request: Request, by requester: FunctionRequester
  ) async -> Question.Reply {
    if part.step == .abort {
      transactions.end(part.number)
      return Question.Reply(["status": .int32(200)])
    }
    var requester = requester
    do throws(FunctionTransactionError) {
      requester.transaction = try transactions.transaction(
        part.number, begins: part.step == .begin, by: requester.principal)
    } catch {
      return .failure(error.text, code: "MongoDBError")
    }
    let reply = await reply(to: question, for: request, by: requester)
    if part.step == .commit || reply.isFailure { transactions.end(part.number) }
    return reply
  }

  /// Calls a function, which is a part of the request's trace.
  func call(
    _ invocation: Invocation, for request: Request, by principal: Principal
  ) async throws(FunctionError) -> Value {
    guard let spans, request.trace != nil else {
      return try await perform(invocation, for: request, by: principal)
    }
    let start = MonotonicClock.now()
    let note = { (isError: Bool) in
      spans.add("function \(invocation.name)", in: request.trace, nanoseconds: MonotonicClock.now() - start) {
        $0.attributes = [("code.function.name", .text(invocation.name))]
        $0.isError = isError
      }
    }
    do throws(FunctionError) {
      let value = try await perform(invocation, for: request, by: principal)
      note(false)
      return value
    } catch {
      // The name of no function is a text of the client's.
      if error != .notFound { note(true) }
      throw error
    }
  }

  /// Returns the call of a function, and who it is done as: the caller, or the user whom the function names.
  func acting(
    _ invocation: Invocation, for request: Request, by principal: Principal
  ) async throws(FunctionError) -> (invocation: Invocation, principal: Principal) {
    let id: String
    switch try host.function(named: invocation.name)?.actingUser {
    case nil: return (invocation, principal)
    case .id(let text)?: id = text
    case .result(of: let name)?:
      var question = Invocation(name: name, arguments: invocation.arguments, requestID: invocation.requestID)
      (question.user, question.caller, question.runsAsSystem) = (invocation.user, invocation.caller, true)
      let respondent = respondent(for: request, by: FunctionAccess.system)
      switch try await host.call(question, from: .function, respondent: respondent) {
      case .string(let text): id = text
      case .objectID(let value): id = value.description
      default: id = ""
      }
    }
    guard let actor = try? await actingUsers?.principal(id) else {
      throw .thrown(message: "run_as_user_id: there is no such user")
    }
    var acted = invocation
    acted.actingUser = actor.functionUser
    return (acted, actor)
  }

  /// Calls a function. A detached one is called in a task of its own, which nobody cancels.
  private func perform(
    _ invocation: Invocation, for request: Request, by principal: Principal
  ) async throws(FunctionError) -> Value {
    let (invocation, principal) = try await acting(invocation, for: request, by: principal)
    let respondent = respondent(for: request, by: principal)
    guard let executor, host.isDetached(invocation.name) else {
      return try await host.call(invocation, respondent: respondent)
    }
    let host = host
    let task = Task(executorPreference: executor) { () async -> Result<Value, FunctionError> in
      do throws(FunctionError) {
        return .success(try await host.call(invocation, respondent: respondent))
      } catch {
        return .failure(error)
      }
    }
    return try await task.value.get()
  }

  /// Calls a function as the gateway itself, a private one too, from any thread: on the loop, where the store is asked for it.
  func callAsSystem(_ invocation: Invocation) async throws(FunctionError) -> Value {
    guard let executor else { throw .abandoned }
    var request = Request(method: .post, target: Target(path: "/v1/functions", query: nil))
    request.peer = .local
    let respondent = respondent(for: request, by: FunctionAccess.system)
    let task = Task(executorPreference: executor) { [host] () async -> Result<Value, FunctionError> in
      do throws(FunctionError) {
        return .success(try await host.call(invocation, from: .function, respondent: respondent))
      } catch {
        return .failure(error)
      }
    }
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }.get()
  }

  /// Returns the functions that decide about users, for that request. They are called as the system.
  func accountFunctions(for request: Request) -> AccountFunctions {
    AccountFunctions(
      host: host, requestID: request.id.description,
      caller: Caller(address: request.peer.client),
      respondent: respondent(for: request, by: FunctionAccess.system))
  }

  /// Records that a function is about to be called, where the policy says so.
  /// `principal` is who calls it; nil: the caller of the request.
  func record(_ invocation: Invocation, of call: Call, by principal: Principal? = nil) async throws {
    guard let recorder = audit.recorder, recorder.policy.events.contains(.function) else { return }
    let data: Document = ["function": .string(invocation.name)]
    try await recorder.record(
      .function, activity: call.request.fields["audit-activity"] ?? "callFunction",
      data: String(decoding: Value.document(data).plainJSON, as: UTF8.self),
      adding: audit.details(of: call.request, by: principal ?? call.principal))
  }

  private func reply(
    to question: DataQuestion, for outer: Request, by requester: FunctionRequester
  ) async -> Question.Reply {
    guard (try? sessions.requireValidity(of: requester.principal)) != nil else {
      return .failure("The caller of the function is none any more.")
    }
    let halves = question.target.split(separator: "?", maxSplits: 1).map(String.init)
    guard let method = Method(rawValue: question.method), question.isAllowed, let path = halves.first else {
      return .failure("Functions have no such request.")
    }
    let (accepts, contentType): (MediaType, ContentType) =
      question.isText ? (.json, .json) : (.bson, .bson)
    var fields = Fields([Fields.Line(name: "accept", value: accepts.name)])
    if question.content != nil { fields.append("content-type", contentType.name) }
    if question.counts { fields.append("prefer", "count=exact") }
    // The caller says what may be lost by a crash.
    if let durability = Preferences(outer.fields["prefer"]).durability {
      fields.append("prefer", "durability=\(durability.token)")
    }
    // Reads and writes of a function are recorded as if its caller had made them.
    for name in ["audit-activity", "audit-scope"] {
      if let value = outer.fields[name] { fields.append(Fields.Line(name: name, value: value)) }
    }
    var inner = Request(
      method: method, target: Target(path: path, query: halves.count > 1 ? halves[1] : nil), fields: fields,
      body: question.content.map { .bytes($0) } ?? .empty)
    inner.id = outer.id
    // Shares, limits and the trail go by the address of whoever called the function.
    inner.peer = outer.peer
    inner.trace = outer.trace
    return FunctionAccess.reply(await respond(inner, requester))
  }

  private static let system = Principal(.key(id: "system"), role: .administrator)

  /// Whether a key of that identifier is the gateway itself.
  static func isSystem(_ id: String) -> Bool { .key(id: id) == system.kind }

  private static func reply(_ response: Response) -> Question.Reply {
    var reply: Document = ["status": .int32(Int32(response.status.rawValue))]
    if case .bytes(let bytes) = response.body, !bytes.isEmpty {
      reply.append("content", .binary(Binary(bytes: bytes)))
    }
    if let next = response.fields["link"]?.split(separator: ">").first?.dropFirst() {
      reply.append("next", .string(String(next)))
    }
    if let total = response.fields["total-count"] { reply.append("total", .string(total)) }
    return Question.Reply(reply)
  }

  /// Returns `context.request` of App Services, without the fields that would let somebody else be the caller.
  private static func description(of request: Request) -> Question.Reply {
    var headers = Document()
    for line in request.fields.lines where !["authorization", "cookie"].contains(line.name) {
      if headers[line.name] == nil { headers.append(line.name, .array([.string(line.value)])) }
    }
    return Question.Reply([
      "request": [
        "httpMethod": .string(request.method.rawValue),
        "remoteIPAddress": .string(request.peer.address),
        "httpUserAgent": .string(request.fields["user-agent"] ?? ""),
        "httpReferrer": .string(request.fields["referer"] ?? ""),
        "rawQueryString": .string(request.target.query ?? ""), "requestHeaders": .document(headers),
      ]
    ])
  }
}

extension Question.Reply {
  /// Whether it is no answer, or one that tells an error.
  fileprivate var isFailure: Bool {
    guard case .int32(let status)? = document["status"] else { return true }
    return status >= 400
  }
}

extension DataQuestion {
  /// Whether it is about data or, of a function that runs as the system, about the roles of a user. What endpoints
  /// require of their callers is not asked of functions.
  fileprivate var isAllowed: Bool {
    let parts = target.split(separator: "/", omittingEmptySubsequences: false)
    if isAsSystem, parts.count == 5, target.hasPrefix("/v1/users/"), parts[4] == "roles" { return true }
    return ["/v1/collections", "/v1/transactions", "/app/functions/endpoint/data/"].contains {
      target.hasPrefix($0)
    }
  }
}
