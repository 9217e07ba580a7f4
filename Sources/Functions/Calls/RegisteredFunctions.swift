public import GatehouseBSON
internal import Synchronization

/// The functions of the program that embeds the gateway.
public final class RegisteredFunctions: Sendable {
  /// The code of a registered function. Errors that it throws are told to the caller; time limits are its own
  /// business.
  public typealias Body = @Sendable (Invocation) async throws -> Value

  /// The callers that a registered function has.
  public enum Access: Hashable, Sendable {
    /// Other functions.
    case functions
    /// Callers who show a credential, where one is needed.
    case credential
    case anyone
  }

  struct Entry: Sendable {
    let function: Function
    let body: Body
  }

  private let entries = Mutex<[String: Entry]>([:])

  public init() {}

  /// Registers a function, in the place of one that has the same name.
  public func register(
    _ name: String, parameters: [String]? = nil, access: Access = .credential, _ body: @escaping Body
  ) {
    var function = Function(name, .swift)
    function.parameters = parameters
    function.isPrivate = access == .functions
    if access == .anyone { function.rule = .constant(true) }
    let entry = Entry(function: function, body: body)
    entries.withLock { $0[name] = entry }
  }

  subscript(name: String) -> Entry? {
    entries.withLock { $0[name] }
  }

  var functions: [Function] {
    entries.withLock { $0.values.map(\.function) }
  }
}
