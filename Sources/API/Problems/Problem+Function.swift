import Functions

extension Problem {
  init(_ error: FunctionError) {
    switch error {
    case .notFound: self.init(.functionNotFound, "There is no function of that name.")
    case .isPrivate: self.init(.functionNotCallable, "The function is private: only functions may call it.")
    case .isDisabled: self.init(.functionNotCallable, "The function is disabled.")
    case .isProtected:
      self.init(.functionNotCallable, "The function has a rule, “can_evaluate”, that does not hold.")
    case .unwritableArguments:
      self.init(.invalidArguments, "A name in the arguments has a zero character in it.")
    // What functions throw is meant for the caller, as in App Services.
    case .thrown(let message): self.init(.functionFailed, message)
    case .syntax(let file, let line, let message):
      self.init(.functionInvalid, "\(file), line \(line): \(message)")
    case .notAFunction:
      self.init(.functionInvalid, "The function's file does not say “exports = function …”.")
    case .malformedConfiguration(let file, let offset):
      self.init(.functionInvalid, "\(file) is malformed (byte \(offset)).")
    case .notSerialisable(let message): self.init(.functionResultInvalid, "\(message).")
    case .resultTooDeep:
      self.init(.functionResultInvalid, "The function's result is too deep, or holds itself.")
    case .malformedAnswer:
      self.init(.functionResultInvalid, "What the function's process answers is no answer.")
    case .resultTooLarge(let limit):
      self.init(.functionResultTooLarge, "The function's result has more than \(limit) bytes.")
    case .crashed(let ending): self.init(ending)
    case .timedOut(let seconds):
      self.init(.functionTimedOut, "The function took longer than \(seconds) s and was ended.")
    case .queueFull: self.init(.functionQueueFull, "Too many calls are waiting for a worker.")
    case .abandoned: self.init(.cancelled, "The call was ended, since its client has left.")
    case .runtimeMissing(let program):
      self.init(.functionRuntimeMissing, "The program that runs this function, “\(program)”, was not found.")
    case .cannotStart(let code):
      self.init(.functionRuntimeMissing, "The system refused to start a process (error \(code)).")
    }
  }

  private init(_ ending: FunctionError.Ending) {
    switch ending {
    case .exited(let code): self.init(.functionCrashed, "The function's process exited (code \(code)).")
    case .killed(let signal):
      self.init(.functionCrashed, "The function's process was killed (signal \(signal)).")
    case .closed: self.init(.functionCrashed, "The function's process closed its channel.")
    case .outOfMemory: self.init(.functionOutOfMemory, "The function needs more memory than it may have.")
    }
  }
}
