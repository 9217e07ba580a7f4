import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseCrypto
import GatehouseFeeds
import GatehouseHTTP

extension Endpoint {
  static let openStream = Endpoint(
    "openStream", .post("/v1/streams", reads: ContentType.ofValues).answered(by: .replica),
    answers: [.eventStream],
    requires: .permit, records: .reads, using: \.events
  ) { call, events in
    try await OpenStream(SubscriptionList(call.value(), for: events)).answer(call, events)
  }

  /// For clients that send no content: the subscriptions are those of the ticket.
  static let openStreamByTicket = Endpoint(
    "openStreamByTicket", .get("/v1/streams"), answers: [.eventStream], requires: .permit, records: .reads,
    using: \.events
  ) { call, events in
    let content = try Content(try await call.bytes(limit: call.limits.contentSize), as: .json)
    return try await OpenStream(SubscriptionList(content.value, for: events)).answer(call, events)
  }
}

extension SubscriptionList {
  /// Reads the subscriptions of one stream.
  init(_ value: Value, for events: EventAccess, at pointer: String = "") throws {
    try self.init(value, at: pointer, atMost: events.broker.options.subscriptionsPerStream)
  }
}

/// An event stream that carries many subscriptions.
private struct OpenStream: Sendable {
  private let subscriptions: SubscriptionList

  init(_ subscriptions: SubscriptionList) {
    self.subscriptions = subscriptions
  }

  func answer(_ call: Call, _ events: EventAccess) async throws -> Response {
    try call.requireRecordableReads(events.data.store)
    let requests = try await subscriptions.open(for: call, by: events)
    let client = call.request.peer.client
    guard let loop = events.multiplexLoop, events.broker.admit(client) else {
      for request in requests { events.broker.release(request.client) }
      throw APIError.tooManySubscribers
    }
    var recorder: ReadRecorder?
    if let recording = call.recording, recording.recordsReads {
      recorder = ReadRecorder(recording, as: .objects, on: loop.loopBroker)
    }
    let id = Hexadecimal.text(of: SecureRandom.bytes(24))
    return Response(
      EventStream(
        .many(requests, id: id, owner: call.principal.id, on: loop), client: client,
        validity: { [principal = call.principal] in events.data.sessions.validity(of: principal) },
        recorder: recorder))
  }
}
