import GatehouseBSON
import GatehouseFunctions
import GatehouseSharing

/// Functions that decide about users, as App Services' providers name them: who somebody is, whether an account may
/// be used, whether it gets another password. They may be private, and ask for data as the gateway itself.
struct AccountFunctions: Sendable {
  let host: FunctionHost
  let requestID: String
  let caller: Caller
  let respondent: Question.Respondent

  /// The decision of such a function on an account.
  enum Decision: String {
    case success
    /// The token that it was given is to be shown first.
    case pending
    case fail
  }

  /// Returns who a function says somebody is, and what they are called; nil: it does not know them.
  func identity(from payload: Document, by name: String) async -> (subject: String, data: Document)? {
    switch await result(of: name, [.document(payload)]) {
    case .string(let id)? where !id.isEmpty: return (id, [:])
    case .objectID(let id)?: return (id.description, [:])
    case .document(let members)?:
      let data: Document =
        if case .string(let name)? = members["name"] { ["name": .string(name)] } else { [:] }
      return switch members["id"] {
      case .string(let id)? where !id.isEmpty: (id, data)
      case .objectID(let id)?: (id.description, data)
      default: nil
      }
    default: return nil
    }
  }

  /// Returns what a function says: `{status: "success" | "pending" | "fail"}`. Whatever else it does is a failure.
  func decision(of name: String, _ arguments: [Value]) async -> Decision {
    guard case .document(let members)? = await result(of: name, arguments),
      case .string(let status)? = members["status"]
    else { return .fail }
    return Decision(rawValue: status) ?? .fail
  }

  /// Nil: it failed, which the log tells of.
  private func result(of name: String, _ arguments: [Value]) async -> Value? {
    var invocation = Invocation(name: name, arguments: arguments, requestID: requestID, caller: caller)
    invocation.runsAsSystem = true
    return try? await host.call(invocation, from: .function, respondent: respondent)
  }
}
