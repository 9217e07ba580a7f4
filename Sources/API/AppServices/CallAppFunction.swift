import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP

extension Endpoint {
  private static let functionCall = "\(appServicesPath)/app/{app}/functions/call"

  static let callAppFunction = Endpoint(
    "callAppFunction", .post(functionCall, reads: [.json]), answers: [.json], requires: .someRole,
    records: .functionCalls, using: \.functions
  ) { call, functions in
    try await CallAppFunction(call).answer(call, functions)
  }

  static let streamAppFunction = Endpoint(
    "streamAppFunction",
    .get(functionCall, parameters: [.baasRequest, .baasToken, .stitchRequest, .stitchToken]),
    answers: [.eventStream], requires: .credential(orIn: [.baasToken, .stitchToken]), records: .functionCalls,
    using: \.functions
  ) { call, functions in try await CallAppFunction(streaming: call).answer(call, functions) }
}

/// A call of a function as Realm's clients make it: `{"name": "sum", "arguments": […]}`, and the result by itself, or
/// as an event.
struct CallAppFunction: Sendable {
  private let invocation: Invocation
  private let isStream: Bool

  /// All clients say that it is JSON; what pages send without asking is refused.
  init(_ call: Call) async throws {
    _ = try call.readableType()
    let content = try await call.decode { try Content($0, as: .json) }
    guard case .one(.document(let members)) = content else { throw AppServicesError.functionNotNamed }
    invocation = try CallAppFunction.invocation(members, call)
    isStream = false
  }

  /// Reads the call from a query parameter.
  init(streaming call: Call) throws(AppServicesError) {
    guard let text = call.parameters[.baasRequest] ?? call.parameters[.stitchRequest],
      let bytes = Base64.decode(text), case .document(let members)? = try? Value(json: bytes)
    else { throw .unreadableRequest }
    invocation = try CallAppFunction.invocation(members, call)
    isStream = true
  }

  private static func invocation(
    _ members: Document, _ call: Call
  ) throws(AppServicesError) -> Invocation {
    guard case .string(let name)? = members["name"] else { throw .functionNotNamed }
    switch members["service"] {
    case nil, .null?, .string("")?: break
    case .string(let service)?: throw .serviceNotFound(service)
    case _?: throw .serviceNotFound("")
    }
    var arguments: [Value] = []
    switch members["arguments"] {
    case nil, .null?: break
    case .array(let values)?: arguments = values
    case _?: throw .argumentsNoArray
    }
    return Invocation(
      name: name, arguments: arguments, requestID: call.request.id.description,
      user: call.principal.functionUser, caller: call.caller)
  }

  func answer(_ call: Call, _ functions: FunctionAccess) async throws -> Response {
    try await functions.record(invocation, of: call)
    return try await result(call, functions)
  }

  /// Calls the function.
  private func result(_ call: Call, _ functions: FunctionAccess) async throws(AppServicesError) -> Response {
    let result: Value
    do throws(FunctionError) {
      result = try await functions.call(invocation, for: call.request, by: call.principal)
    } catch {
      throw .function(invocation.name, error)
    }
    return isStream ? CallAppFunction.stream(of: result) : Response(appServices: .ok, result)
  }

  /// Returns one event and the end of the stream. Clients decode `%25`, `%0A` and `%0D` in it (realm-web,
  /// `WatchStream.ts`).
  private static func stream(of result: Value) -> Response {
    var bytes = Array("event: message\ndata: ".utf8)
    for byte in result.extendedJSON {
      if byte == UInt8(ascii: "%") { bytes += "%25".utf8 } else { bytes.append(byte) }
    }
    bytes += "\n\n".utf8
    var response = Response(status: .ok, body: .bytes(bytes))
    response.fields.append("content-type", MediaType.eventStream.name)
    response.fields.append("cache-control", "no-store")
    return response
  }
}
