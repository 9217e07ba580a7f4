import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP

extension Endpoint {
  /// The function reads and writes as its caller, or where it says so as the system.
  static let callFunction = Endpoint(
    "callFunction", .post("/v1/functions/{name}", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .someRole, records: .functionCalls, using: \.functions
  ) { call, functions in
    try await CallFunction(call).answer(call, functions)
  }
}

/// POST of arguments to a function.
struct CallFunction: Sendable {
  private let invocation: Invocation
  private let mediaType: MediaType

  init(_ call: Call) async throws {
    try Preconditions(call.request.fields).refuse()
    // Whether a function may be called twice, only the function knows.
    guard call.idempotencyKey == nil else { throw APIError.invalidPrecondition("Idempotency-Key") }
    mediaType = call.mediaType
    invocation = Invocation(
      name: call.captured, arguments: try await CallFunction.arguments(call),
      requestID: call.request.id.description, user: call.principal.functionUser, caller: call.caller)
  }

  private static func arguments(_ call: Call) async throws -> [Value] {
    // Also where there is no content: what pages send without asking has no such media type (CrossSiteTests).
    let type = try call.readableType()
    // Nothing at all is no arguments.
    let content = try await call.decode { bytes in
      bytes.isEmpty ? .many([], .array) : try Content(bytes, as: type)
    }
    switch content {
    case .many(let values, .array): return values
    case .one(.document(let members)):
      guard members.elements.count == 1, case .array(let values)? = members["arguments"] else {
        throw APIError.noArguments
      }
      return values
    case .one, .many: throw APIError.noArguments
    }
  }

  func answer(_ call: Call, _ functions: FunctionAccess) async throws -> Response {
    try await functions.record(invocation, of: call)
    return try response(for: try await functions.call(invocation, for: call.request, by: call.principal))
  }

  /// Encodes the result. BSON has no values outside of documents: there it is the member `result` of one.
  private func response(for result: Value) throws -> Response {
    let bytes: [UInt8]
    switch mediaType {
    case .json, .jsonLines, .eventStream, .csv: bytes = (result == .undefined ? .null : result).plainJSON
    case .extendedJSON: bytes = result.extendedJSON
    case .bson:
      do {
        bytes = try (["result": result] as Document).bson()
      } catch {
        throw FunctionError.notSerialisable(message: "A name in the result has a zero character in it")
      }
    }
    return Response(status: .ok, content: bytes, mediaType)
  }
}
