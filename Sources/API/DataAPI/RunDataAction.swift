import GatehouseBSON
import GatehouseHTTP

extension Endpoint {
  static let runDataAction = Endpoint(
    "runDataAction",
    .post("/app/{app}/endpoint/data/v1/action/{action}", reads: ContentType.ofValues),
    answers: MediaType.forOne, requires: .permit, records: .readsAndWrites, using: \.events
  ) { call, events in
    // No client's request is a part of a transaction.
    if let transaction = call.transaction, call.lastCaptured == "commitTransaction" {
      try await DataSource(events: events).commit(call, transaction)
      return Response(status: .ok, content: call.mediaType.bytes(of: .document([:])), call.mediaType)
    }
    return try await RunDataAction(call, events.data).answer(call, events)
  }
}

/// POST of a command on documents, which the path names.
struct RunDataAction: Sendable {
  /// The most documents that `find` gives where it does not say, as in App Services.
  private static let standardLimit = 1_000

  private let command: DataCommand
  private let namespace: Namespace

  init(_ call: Call, _ data: DataAccess) async throws {
    let type = try call.readableType()
    (command, namespace) = try await call.decode { bytes in
      guard case .one(.document(let members)) = try Content(bytes, as: type) else {
        throw DataSourceError.notArguments
      }
      for name in ["dataSource", "database"] where members[name] == nil {
        throw DataSourceError.missingMember(name)
      }
      guard case .string(let source)? = members["dataSource"] else {
        throw DataSourceError.wrongMember("dataSource", expected: "a name")
      }
      try data.requireSource(source)
      let namespace = try CommandMembers.namespace(in: members)
      return (
        try DataCommand(call.lastCaptured, members, limit: RunDataAction.standardLimit), namespace
      )
    }
  }

  func answer(_ call: Call, _ events: EventAccess) async throws -> Response {
    if let content = try events.data.storedAnswer(to: command, in: namespace, for: call) {
      return Response(status: .ok, content: content, call.mediaType)
    }
    let result = try await DataSource(events: events).perform(command, in: namespace, for: call)
    let content = try await result.encoded(for: call, by: events.data) { [mediaType = call.mediaType] in
      mediaType.bytes(of: .document($0.members))
    }
    return Response(status: result.isCreation ? .created : .ok, content: content, call.mediaType)
  }
}
