import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP

extension Feature {
  /// A running server as its administrators see it.
  static let serverAdministration = Feature(endpoints: [
    .listSettings, .listSlowQueries, .listTasks, .beginTask, .listFunctionCalls,
  ])
}

extension Endpoint {
  static let listSettings = Endpoint(
    "listSettings", .get("/v1/settings").answered(by: .asked), answers: MediaType.forOne,
    requires: .administration,
    using: \.server
  ) { call, server in
    Response(.array(server.settings().map { .document($0.notation) }), as: call.mediaType)
  }

  /// The slow queries, the latest first.
  static let listSlowQueries = Endpoint(
    "listSlowQueries", .get("/v1/slow-queries").answered(by: .asked), answers: MediaType.forOne,
    requires: .administration,
    using: \.data
  ) { call, data in
    let queries = data.policies.current.slowQueries?.recent ?? []
    return Response(.array(queries.map { .document($0.notation) }), as: call.mediaType)
  }

  static let listTasks = Endpoint(
    "listTasks", .get("/v1/tasks").answered(by: .asked), answers: MediaType.forOne, requires: .administration,
    using: \.server
  ) { call, server in
    Response(.array(server.maintenance.statuses.map { .document($0.notation) }), as: call.mediaType)
  }

  static let beginTask = Endpoint(
    "beginTask", .post("/v1/tasks/{task}", reads: ContentType.ofValues).answered(by: .asked),
    answers: MediaType.forOne,
    requires: .administration, using: \.server
  ) { call, server in
    guard case .document(let members) = try await call.value(), members.elements.isEmpty else {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .unknownMember)])
    }
    let status = try server.maintenance.begin(call.captured)
    var response = Response(.document(status.notation), as: call.mediaType)
    response.status = .accepted
    return response
  }

  /// The latest calls of a function, with what it said on its console.
  static let listFunctionCalls = Endpoint(
    "listFunctionCalls", .get("/v1/functions/{name}/calls").answered(by: .leader), answers: MediaType.forOne,
    requires: .administration, using: \.functions
  ) { call, functions in
    let calls = functions.host.recentCalls(of: call.captured)
    return Response(.array(calls.map { .document($0.notation) }), as: call.mediaType)
  }
}

extension Response {
  fileprivate init(_ value: Value, as mediaType: MediaType) {
    self.init(status: .ok, content: mediaType.bytes(of: value), mediaType)
    fields.append("cache-control", "no-store")
  }
}

extension SettingInForce {
  fileprivate var notation: Document {
    var document: Document = ["name": .string(name)]
    if let value { document.append("value", .string(value)) }
    document.append("default", .string(defaultValue))
    document.append("source", .string(source.rawValue))
    document.append("live", .bool(isLive))
    document.append("help", .string(help))
    return document
  }
}

extension Maintenance.Status {
  fileprivate var notation: Document {
    var document: Document = ["name": .string(name), "state": .string(state.rawValue)]
    if let started { document.append("started", .string(started.description)) }
    if state != .idle {
      document.append("progress", .double(progress))
      document.append("seconds", .double(seconds))
    }
    if state == .done { document.append("findings", .array(findings.map { .string($0) })) }
    if let error { document.append("error", .string(error)) }
    return document
  }
}

extension RecentSlowQueries.Query {
  fileprivate var notation: Document {
    [
      "ended": .string(ended.description), "class": .string(objectType),
      "milliseconds": .double(Double(microseconds) / 1_000),
      "statement": .string(statement), "steps": .array(steps.map { .string($0) }),
    ]
  }
}

extension RecentCall {
  fileprivate var notation: Document {
    var document: Document = [
      "ended": .string(ended.description), "outcome": .string(outcome),
      "milliseconds": .double(Double(microseconds) / 1_000),
      "console": .array(
        console.map { .document(["level": .string($0.level), "text": .string($0.text)]) }),
    ]
    if let requestID { document.append("request", .string(requestID)) }
    if let stack { document.append("stack", .string(stack)) }
    return document
  }
}
