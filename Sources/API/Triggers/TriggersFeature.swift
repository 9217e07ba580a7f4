import GatehouseBSON
import GatehouseHTTP
import GatehouseTriggers

extension Feature {
  /// Triggers, for administrators.
  static let triggers = Feature(endpoints: [.listTriggers, .resumeTrigger, .skipTrigger])
}

extension Endpoint {
  static let listTriggers = Endpoint(
    "listTriggers", .get("/v1/triggers"), answers: MediaType.forOne, requires: .administration,
    using: \.triggers
  ) { call, triggers in
    let statuses = await triggers?.statuses() ?? []
    let value = Value.array(statuses.map { .document($0.notation) })
    return Response(status: .ok, content: call.mediaType.bytes(of: value), call.mediaType)
  }

  /// Has a suspended trigger call once more for what it failed for.
  static let resumeTrigger = Endpoint(
    "resumeTrigger", .post("/v1/triggers/{trigger}/resume", reads: []), answers: MediaType.forOne,
    requires: .administration, using: \.triggers
  ) { call, triggers in try await Response(resuming: call, triggers, skipping: false) }

  /// Has a suspended trigger go on behind that.
  static let skipTrigger = Endpoint(
    "skipTrigger", .post("/v1/triggers/{trigger}/skip", reads: []), answers: MediaType.forOne,
    requires: .administration, using: \.triggers
  ) { call, triggers in try await Response(resuming: call, triggers, skipping: true) }
}

extension Response {
  fileprivate init(resuming call: Call, _ triggers: TriggerRunner?, skipping: Bool) async throws {
    guard let status = try await triggers?.resume(call.captured, skipping: skipping) else {
      throw APIError.triggerNotFound
    }
    self.init(status: .ok, content: call.mediaType.bytes(of: .document(status.notation)), call.mediaType)
  }
}

extension TriggerStatus {
  fileprivate var notation: Document {
    var document: Document = ["name": .string(trigger.name)]
    switch trigger.cause {
    case .changes(let watched): document.append("class", .string(watched.objectType))
    case .time(let schedule): document.append("schedule", .string(schedule.text))
    }
    document.append("function", .string(trigger.function))
    document.append("state", .string(state.rawValue))
    if let position { document.append("position", .string(position)) }
    if let lag { document.append("lag", .int64(lag)) }
    if let next { document.append("next", .date(next)) }
    document.append("calls", .int64(Int64(calls)))
    document.append("failures", .int64(Int64(failures)))
    if attempts > 0 { document.append("attempts", .int64(Int64(attempts))) }
    if let error { document.append("error", .string(error)) }
    return document
  }
}
