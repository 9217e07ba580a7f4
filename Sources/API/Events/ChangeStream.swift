import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP

extension Endpoint {
  static let addSubscriptions = Endpoint(
    "addSubscriptions",
    .post("/v1/streams/{stream}/subscriptions", reads: ContentType.ofValues).answered(by: .asked),
    // BSON has no array of texts.
    answers: [.json, .extendedJSON], requires: .permit, records: .reads, using: \.events
  ) { call, events in
    let subscriptions = try SubscriptionList(await call.value(), for: events)
    let stream = try call.stream(events)
    guard stream.recordsReads == (call.recording?.recordsReads == true) else {
      throw APIError.invalidAuditField("audit-activity")
    }
    let requests = try await subscriptions.open(for: call, by: events)
    do {
      try await stream.change { (stream) throws(MultiplexError) in try stream.add(requests) }
    } catch {
      for request in requests { events.broker.release(request.client) }
      throw error
    }
    let names = Value.array(requests.map { .string($0.name) })
    return Response(status: .created, content: call.mediaType.bytes(of: names), call.mediaType)
  }

  static let removeSubscription = Endpoint(
    "removeSubscription", .delete("/v1/streams/{stream}/subscriptions/{subscription}").answered(by: .asked),
    requires: .permit,
    using: \.events
  ) { call, events in
    let name = call.lastCaptured
    try await call.stream(events).change { (stream) throws(MultiplexError) in try stream.remove(name) }
    return Response(status: .noContent)
  }
}

extension Call {
  /// The stream that the path names, which is the caller's. Throws ``GatehouseFeeds/MultiplexError``.
  fileprivate func stream(_ events: EventAccess) throws(MultiplexError) -> MultiplexedStream {
    try events.broker.multiplexes.stream(captured, of: principal.id)
  }
}

extension MultiplexedStream {
  /// Changes the stream on its own loop, which may be another one.
  fileprivate func change(
    _ body: @escaping @Sendable (MultiplexedStream) throws(MultiplexError) -> Void
  ) async throws {
    let result: Result<Void, MultiplexError> = await withCheckedContinuation { continuation in
      loop.perform {
        continuation.resume(returning: Result { () throws(MultiplexError) in try body(self) })
      }
    }
    try result.get()
  }
}

extension MultiplexError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .unknownStream: Problem(.streamNotFound, "There is no such stream, or it has ended.")
    case .unknownSubscription:
      Problem(.subscriptionNotFound, "The stream has no subscription of that name.")
    case .nameTaken: Problem(.subscriptionExists, "The stream has a subscription of that name.")
    case .tooManySubscriptions:
      Problem(
        .tooManySubscribers, "The stream has as many subscriptions as it may have.",
        fields: [Fields.Line(name: "retry-after", value: "10")])
    }
  }
}
