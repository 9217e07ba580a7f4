public import GatehouseBSON
import GatehouseSharing
import GatehouseTelemetry
import Synchronization

/// Finds functions by their names, and calls them.
public final class FunctionHost: Sendable {
  /// Functions of the program itself: `functions.register("sum") { … }`. They come before files of the same name.
  public let registered: RegisteredFunctions
  let configuration: FunctionConfiguration
  private let files: FileFunctions?
  private let reporter: CallReporter
  private let recent = RecentCalls()
  private let running = Atomic(0)

  public init(
    _ configuration: FunctionConfiguration = FunctionConfiguration(),
    registered: RegisteredFunctions = .init()
  ) {
    self.registered = registered
    self.configuration = configuration
    files = configuration.directory.map { FileFunctions($0, configuration) }
    reporter = CallReporter(log: configuration.log, metrics: configuration.metrics)
  }

  /// All functions, by name. Throws ``FunctionError/malformedConfiguration(file:offset:)``.
  public func functions() throws(FunctionError) -> [Function] {
    var functions = try files?.functions() ?? [:]
    for function in registered.functions { functions[function.name] = function }
    return functions.values.sorted { $0.name < $1.name }
  }

  /// The functions that a caller may call, with some arguments at least; all of them for the gateway itself (nil).
  /// Throws ``FunctionError/malformedConfiguration(file:offset:)``.
  public func functions(for user: Document?) throws(FunctionError) -> [Function] {
    guard let user else { return try functions() }
    return try functions().filter { $0.isOpen(to: user) }
  }

  /// Registers a closure of the program itself as a function, in the place of one that has the same name.
  public func register(
    _ name: String, parameters: [String]? = nil, access: RegisteredFunctions.Access = .credential,
    _ body: @escaping RegisteredFunctions.Body
  ) {
    registered.register(name, parameters: parameters, access: access, body)
  }

  /// Whether a call of that function goes on when its client has left.
  public func isDetached(_ name: String) -> Bool {
    guard registered[name] == nil, let function = try? files?.functions()[name] else { return false }
    return function.isDetached
  }

  /// Returns the function of that name; nil: there is none. Throws ``FunctionError/malformedConfiguration(file:offset:)``.
  public func function(named name: String) throws(FunctionError) -> Function? {
    if let entry = registered[name] { return entry.function }
    return try files?.functions()[name]
  }

  /// Calls a function, and reports the call. If the task is cancelled, the call is ended.
  public func call(
    _ invocation: Invocation, from origin: Invocation.Origin = .outside,
    respondent: @escaping Question.Respondent
  ) async throws(FunctionError) -> Value {
    try await result(of: invocation, from: origin, respondent: respondent).value
  }

  /// Calls a function like ``call(_:from:respondent:)``, and returns with its result what it says of the response.
  public func result(
    of invocation: Invocation, from origin: Invocation.Origin = .outside,
    respondent: @escaping Question.Respondent
  ) async throws(FunctionError) -> FunctionResult {
    guard reporter.isNeeded else {
      return try await completion(of: invocation, from: origin, respondent).functionResult
    }
    let start = MonotonicClock.now()
    let completion = await completion(of: invocation, from: origin, respondent)
    var record = CallRecord(
      function: completion.isKnown ? invocation.name : "", requestID: invocation.requestID,
      outcome: completion.outcome, nanoseconds: Int(MonotonicClock.now() - start))
    record.stack = completion.stack
    record.console = completion.console
    if completion.logsArguments { record.arguments = invocation.arguments }
    record.errors = String(decoding: completion.errors, as: UTF8.self)
    reporter.report(record)
    if completion.isKnown { recent.add(record) }
    return try completion.functionResult
  }

  /// The latest calls of a function, the last first: of all functions together a few hundred are remembered.
  public func recentCalls(of function: String) -> [RecentCall] { recent.calls(of: function) }

  /// The number of calls that wait for a worker.
  var waiting: Int { files?.waiting ?? 0 }

  /// Ends the workers. Calls that come later start new ones.
  public func close() {
    files?.close()
  }

  /// Whether no call is being made.
  public var isIdle: Bool { running.load(ordering: .acquiring) == 0 }

  private func completion(
    of invocation: Invocation, from origin: Invocation.Origin, _ respondent: @escaping Question.Respondent
  ) async -> Completion {
    running.add(1, ordering: .acquiringAndReleasing)
    defer { running.subtract(1, ordering: .acquiringAndReleasing) }
    do throws(FunctionError) {
      if let entry = registered[invocation.name] {
        try entry.function.admit(invocation, origin)
        return await completion(of: invocation, by: entry)
      }
      guard let (function, pool) = try files?.target(invocation, origin) else { throw .notFound }
      return await perform(invocation, by: function, in: pool, respondent: respondent)
    } catch {
      return Completion(result: .failure(error))
    }
  }

  private func completion(
    of invocation: Invocation, by entry: RegisteredFunctions.Entry
  ) async -> Completion {
    do {
      return Completion(result: .success(try await entry.body(invocation)))
    } catch let error as FunctionError {
      return Completion(result: .failure(error))
    } catch {
      return Completion(result: .failure(.thrown(message: "\(error)")))
    }
  }

  private func perform(
    _ invocation: Invocation, by function: Function, in pool: WorkerPool,
    respondent: @escaping Question.Respondent
  ) async -> Completion {
    let framing = pool.program.framing
    let id = CallID()
    let payload: [UInt8]
    do throws(FunctionError) {
      payload = try CallPayload.bytes(
        of: invocation, id, asSystem: function.runsAsSystem || invocation.runsAsSystem, as: framing)
    } catch {
      return Completion(result: .failure(error))
    }
    var memory = CallMemory(configuration.memory?.reservation(for: invocation.caller), for: framing)
    guard memory.hold(payload) else { return Completion(memory.refusal) }
    let call = PendingCall(
      id, payload, caller: invocation.caller, timeLimit: function.timeLimit, as: framing)
    let outcome = await pool.perform(call) { question in
      let refused = CallPayload.reply(.overBudget, to: id, as: framing)
      guard memory.hold(payload, received: question) else { return refused }
      var inner = invocation
      inner.runsAsSystem = inner.runsAsSystem || function.runsAsSystem
      let reply = CallPayload.reply(
        await self.reply(to: question, of: inner, framing, respondent), to: id, as: framing)
      return memory.hold(payload, reply, received: question) ? reply : refused
    }
    if case .answer(let answer, let errors) = outcome, !memory.hold(payload, received: answer) {
      return Completion(memory.refusal, errors: errors)
    }
    var completion = completion(for: outcome, framing)
    // A function that goes on without what was refused has a result like any other.
    if case .failure = completion.result, memory.refusal != nil {
      completion = Completion(memory.refusal, errors: completion.errors)
    }
    completion.logsArguments = function.logsArguments
    return completion
  }

  private func completion(for outcome: PendingCall.Outcome, _ framing: Framing) -> Completion {
    switch outcome {
    case .answer(let payload, let errors):
      do throws(FunctionError) {
        let answer = try Answer(CallPayload.document(payload, as: framing))
        var completion = Completion(
          result: answer.result, stack: answer.stack, console: answer.console, errors: errors)
        completion.response = answer.response
        return completion
      } catch {
        return Completion(result: .failure(error), errors: errors)
      }
    case .failure(let error, let errors):
      return Completion(result: .failure(error), errors: errors)
    case .question:
      preconditionFailure("the pool has questions answered")
    }
  }

  private func reply(
    to payload: [UInt8], of invocation: Invocation, _ framing: Framing,
    _ respondent: @escaping Question.Respondent
  ) async -> Question.Reply {
    let question =
      switch framing {
      case .lines: LineQuestion.document(payload, asSystem: invocation.runsAsSystem)
      case .frames: try? Document(bson: payload, limits: Limits(depth: 102))
      }
    return await answer(to: question, of: invocation, respondent)
  }

  private func answer(
    to document: Document?, of invocation: Invocation, _ respondent: @escaping Question.Respondent
  ) async -> Question.Reply {
    guard let document else { return .failure("The question is malformed.") }
    if document["question"] == .string("execute") {
      return await execute(document, for: invocation, respondent: respondent)
    }
    guard let question = Question(document) else { return .failure("There is no such question.") }
    return await respondent(question)
  }

  /// Calls another function for one whose own worker can't.
  private func execute(
    _ document: Document, for invocation: Invocation, respondent: @escaping Question.Respondent
  ) async -> Question.Reply {
    guard case .string(let name)? = document["name"], case .array(let arguments)? = document["arguments"]
    else { return .failure("The question is malformed.") }
    var inner = Invocation(
      name: name, arguments: arguments, requestID: invocation.requestID, user: invocation.user,
      caller: invocation.caller)
    // A function of the system stays one.
    inner.runsAsSystem = document["asSystem"] == .bool(true)
    do throws(FunctionError) {
      return Question.Reply(["result": try await call(inner, from: .function, respondent: respondent)])
    } catch {
      switch error {
      case .notFound: return .failure("function not found: '\(name)'", code: "FunctionNotFound")
      case .thrown(let message): return .failure(message)
      default: return .failure("\(name): \(error.outcome)")
      }
    }
  }
}

/// The end of a call, for its caller and for the log.
private struct Completion {
  let result: Result<Value, FunctionError>
  var stack: String?
  var console: [(level: String, text: String)] = []
  var errors: [UInt8] = []
  var logsArguments = false
  var response: Document?

  init(
    result: Result<Value, FunctionError>, stack: String? = nil, console: [(level: String, text: String)] = [],
    errors: [UInt8] = []
  ) {
    (self.result, self.stack, self.console, self.errors) = (result, stack, console, errors)
  }

  /// The end of a call for which there was no room.
  init(_ refusal: SharingError?, errors: [UInt8] = []) {
    self.init(result: .failure(.overBudget(refusal ?? .exhausted)), errors: errors)
  }

  var functionResult: FunctionResult {
    get throws(FunctionError) { FunctionResult(value: try result.get(), response: response) }
  }

  var outcome: String {
    switch result {
    case .success: CallRecord.fine
    case .failure(let error): error.outcome
    }
  }

  /// Whether the name is a function's: others come from clients, in any number.
  var isKnown: Bool {
    if case .failure(.notFound) = result { false } else { true }
  }
}

extension Function {
  /// Throws where the call from that origin is refused.
  func admit(_ invocation: Invocation, _ origin: Invocation.Origin) throws(FunctionError) {
    if isDisabled { throw .isDisabled }
    switch origin {
    case .function: return
    case .endpoint: break
    case .outside: if isPrivate { throw .isPrivate }
    }
    // The gateway itself is nobody whom rules are about.
    guard let user = invocation.user else { return }
    guard let rule = rule(for: user) else { throw .needsCredential }
    guard RuleScope(user: user, arguments: invocation.arguments).holds(rule) else { throw .isProtected }
  }

  /// Whether that caller, from outside, may call it with some arguments.
  fileprivate func isOpen(to user: Document) -> Bool {
    guard !isDisabled, !isPrivate, let rule = rule(for: user) else { return false }
    return RuleScope(user: user, arguments: nil).mayHold(rule)
  }

  /// Returns the rule for a caller; nil where nothing opens the function to callers without a credential.
  private func rule(for user: Document) -> RuleExpression? {
    rule ?? (user["id"] == nil ? nil : .constant(true))
  }
}
