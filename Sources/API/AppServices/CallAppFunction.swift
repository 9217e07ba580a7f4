import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP

extension Endpoint {
  private static let functionCall = "\(appServicesPath)/app/{app}/functions/call"

  static let callAppFunction = Endpoint(
    "callAppFunction", .post(functionCall, reads: [.json]), answers: [.json], requires: .someRole,
    records: .functionCalls, using: AppServicesAccess.init
  ) { call, access in
    // All clients say that it is JSON; what pages send without asking is refused.
    _ = try call.readableType()
    let called = try await call.decode { bytes in
      guard case .one(.document(let members)) = try Content(bytes, as: .json) else {
        throw AppServicesError.functionNotNamed
      }
      return try CallAppFunction(AppFunctionCall(members), in: access.data)
    }
    return Response(appServices: .ok, try await called.result(for: call, access))
  }

  static let streamAppFunction = Endpoint(
    "streamAppFunction",
    .get(functionCall, parameters: [.baasRequest, .baasToken, .stitchRequest, .stitchToken]),
    answers: [.eventStream], requires: .credential(orIn: [.baasToken, .stitchToken]), records: .functionCalls,
    using: AppServicesAccess.init
  ) { call, access in
    let called = try AppFunctionCall(streaming: call)
    if called.name == "watch", let service = called.service {
      try access.data.requireSource(service)
      return try await WatchCollection(try called.argument()).answer(call, access.events)
    }
    return CallAppFunction.stream(
      of: try await CallAppFunction(called, in: access.data).result(for: call, access))
  }
}

/// A call of a function or a command of a data source by Realm's clients: the result by itself, or as an event.
struct CallAppFunction: Sendable {
  private enum Target: Sendable {
    case function(name: String, arguments: [Value])
    case command(DataCommand, Namespace)
  }

  private let target: Target

  init(_ call: AppFunctionCall, in data: DataAccess) throws(DataSourceError) {
    guard let service = call.service else {
      target = .function(name: call.name, arguments: call.arguments)
      return
    }
    try data.requireSource(service)
    let argument = try call.argument()
    let namespace = try CommandMembers.namespace(in: argument)
    target = .command(try DataCommand(call.name, argument), namespace)
  }

  /// The result in canonical Extended JSON.
  func result(for call: Call, _ access: AppServicesAccess) async throws -> [UInt8] {
    switch target {
    case .command(let command, let namespace):
      let result = try await DataSource(events: access.events).perform(command, in: namespace, for: call)
      return try await result.encoded(for: call, by: access.data) { $0.value.inMilliseconds.extendedJSON }
    case .function(let name, let arguments):
      let invocation = Invocation(
        name: name, arguments: arguments, requestID: call.request.id.description,
        user: call.principal.functionUser, caller: call.caller)
      try await access.functions.record(invocation, of: call)
      do {
        return try await access.functions.call(invocation, for: call.request, by: call.principal)
          .inMilliseconds.extendedJSON
      } catch {
        throw AppServicesError.function(name, error)
      }
    }
  }

  /// Returns one event and the end of the stream. Clients decode `%25`, `%0A` and `%0D` in it (realm-web,
  /// `WatchStream.ts`).
  static func stream(of result: [UInt8]) -> Response {
    var response = Response(status: .ok, body: .bytes(AppServicesEvent.message(result)))
    response.fields.append("content-type", MediaType.eventStream.name)
    response.fields.append("cache-control", "no-store")
    return response
  }
}
