public import GatehouseSharing

/// The reason why a call has no result.
public enum FunctionError: Error, Hashable, Sendable {
  case notFound
  case isPrivate
  case isDisabled
  /// It has a rule that says who may call it.
  case isProtected
  /// Its caller shows no credential, and no rule lets everybody call it.
  case needsCredential
  /// The function's code threw an error.
  case thrown(message: String)
  case syntax(file: String, line: Int, message: String)
  /// The file has no function in it.
  case notAFunction
  /// `config.json`, or another file that describes functions, is malformed at that byte.
  case malformedConfiguration(file: String, offset: Int)
  /// Such a file has a member that means nothing there, or one of the wrong type (`isKnown`); the line counts from 1.
  case wrongMember(String, isKnown: Bool, file: String, line: Int?)

  /// An argument has a name that no worker can be told.
  case unwritableArguments

  // The result.
  case notSerialisable(message: String)
  case resultTooDeep
  case resultTooLarge(limit: Int)
  /// The worker's message is no answer.
  case malformedAnswer

  // The worker.
  case crashed(Ending)
  case timedOut(seconds: Int)
  case queueFull
  /// The call and its result take more memory than its caller's share, or than there is.
  case overBudget(SharingError)
  /// The caller has left.
  case abandoned
  /// The program that runs functions of that kind is not there.
  case runtimeMissing(program: String)
  /// The system refused to start a process.
  case cannotStart(code: Int32)

  /// The fault of a file of the configuration with its place, as a sentence; nil: it is another error.
  public var configurationFault: String? {
    switch self {
    case .malformedConfiguration(let file, let offset): return "\(file) is malformed (byte \(offset))."
    case .wrongMember(let name, let isKnown, let file, let line):
      let place = line.map { "\(file), line \($0)" } ?? file
      return isKnown
        ? "\(place): “\(name)” is missing, or of the wrong type."
        : "\(place): there is no member “\(name)”."
    default: return nil
    }
  }

  /// The way in which a process ended.
  public enum Ending: Hashable, Sendable {
    case exited(code: Int32)
    case killed(signal: Int32)
    case outOfMemory
    /// It closed its end of the channel, but goes on.
    case closed
  }
}
