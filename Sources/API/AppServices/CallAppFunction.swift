import Access
import BSON
import Functions
import HTTP

/// A call of a function as Realm's clients make it: `{"name": "sum", "arguments": […]}`, and the result by itself.
struct CallAppFunction: Sendable {
  let invocation: Invocation

  /// All clients say that it is JSON; what pages send without asking is refused.
  init(_ call: Call, limit: Int) async throws {
    _ = try call.readableType()
    let content = try Content(await call.bytes(limit: limit), as: .json)
    guard case .one(.document(let members)) = content, case .string(let name)? = members["name"] else {
      throw AppServicesError.functionNotNamed
    }
    switch members["service"] {
    case nil, .null?, .string("")?: break
    case .string(let service)?: throw AppServicesError.serviceNotFound(service)
    case _?: throw AppServicesError.serviceNotFound("")
    }
    var arguments: [Value] = []
    switch members["arguments"] {
    case nil, .null?: break
    case .array(let values)?: arguments = values
    case _?: throw AppServicesError.argumentsNoArray
    }
    invocation = Invocation(
      name: name, arguments: arguments, requestID: call.request.id.description,
      user: call.principal.functionUser)
  }

  /// Calls the function. Throws ``AppServicesError``.
  func response(
    from functions: FunctionHost, respondent: @escaping Question.Respondent
  ) async throws(AppServicesError) -> Response {
    do throws(FunctionError) {
      let result = try await functions.call(invocation, respondent: respondent)
      return Response(appServices: .ok, result)
    } catch {
      throw .function(invocation.name, error)
    }
  }
}
