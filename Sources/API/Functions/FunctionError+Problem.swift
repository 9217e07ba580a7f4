import GatehouseFunctions
import GatehouseHTTP
import GatehouseSharing

extension FunctionError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .notFound: return Problem(.functionNotFound, "There is no function of that name.")
    case .isPrivate:
      return Problem(.functionNotCallable, "The function is private: only functions may call it.")
    case .isDisabled: return Problem(.functionNotCallable, "The function is disabled.")
    case .isProtected:
      return Problem(.functionNotCallable, "The function has a rule, “can_evaluate”, that does not hold.")
    case .needsCredential:
      return Problem(
        .functionNotCallable,
        "The function needs a credential: no rule of it, “can_evaluate”, lets anyone call it.")
    case .unwritableArguments:
      return Problem(.invalidArguments, "A name in the arguments has a zero character in it.")
    // Errors that functions throw are meant for the caller, as in App Services.
    case .thrown(let message): return Problem(.functionFailed, message)
    case .syntax(let file, let line, let message):
      return Problem(.functionInvalid, "\(file), line \(line): \(message)")
    case .notAFunction:
      return Problem(.functionInvalid, "The function's file does not say “exports = function …”.")
    case .malformedConfiguration, .wrongMember: return Problem(.functionInvalid, configurationFault ?? "")
    case .notSerialisable(let message): return Problem(.functionResultInvalid, "\(message).")
    case .resultTooDeep:
      return Problem(.functionResultInvalid, "The function's result is too deep, or holds itself.")
    case .malformedAnswer:
      return Problem(.functionResultInvalid, "What the function's process answers is no answer.")
    case .resultTooLarge(let limit):
      return Problem(.functionResultTooLarge, "The function's result has more than \(limit) bytes.")
    case .crashed(let ending): return ending.problem
    case .timedOut(let seconds):
      return Problem(.functionTimedOut, "The function took longer than \(seconds) s and was ended.")
    case .queueFull: return Problem(.functionQueueFull, "Too many calls are waiting for a worker.")
    case .overBudget(let error):
      return Problem(
        error == .share ? .shareExceeded : .memoryExhausted,
        """
        The call was ended: what it takes of the memory (limits.memoryMegabytes) is more than \
        \(error == .share ? "its caller's share" : "all callers have left").
        """,
        fields: [Fields.Line(name: "retry-after", value: "1")])
    case .abandoned: return Problem(.cancelled, "The call was ended, since its client has left.")
    case .runtimeMissing(let program):
      return Problem(
        .functionRuntimeMissing, "The program that runs this function, “\(program)”, was not found.")
    case .cannotStart(let code):
      return Problem(.functionRuntimeMissing, "The system refused to start a process (error \(code)).")
    }
  }
}

extension FunctionError.Ending {
  fileprivate var problem: Problem {
    switch self {
    case .exited(let code): return Problem(.functionCrashed, "The function's process exited (code \(code)).")
    case .killed(let signal):
      return Problem(.functionCrashed, "The function's process was killed (signal \(signal)).")
    case .closed: return Problem(.functionCrashed, "The function's process closed its channel.")
    case .outOfMemory:
      return Problem(.functionOutOfMemory, "The function needs more memory than it may have.")
    }
  }
}
