import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseTriggers

extension Feature {
  /// Triggers, for administrators.
  static let triggers = Feature(endpoints: [.listTriggers, .resumeTrigger])
}

extension Endpoint {
  static let listTriggers = Endpoint(
    "listTriggers", .get("/v1/triggers").answered(by: .leader), answers: MediaType.forOne,
    requires: .administration,
    using: \.triggers
  ) { call, triggers in
    let statuses = await triggers?.statuses() ?? []
    let value = Value.array(statuses.map { .document($0.notation) })
    return Response(status: .ok, content: call.mediaType.bytes(of: value), call.mediaType)
  }

  /// Has a suspended trigger go on: with what it failed for, or behind it (`{"skip": true}`).
  static let resumeTrigger = Endpoint(
    "resumeTrigger", .post("/v1/triggers/{trigger}/resume", reads: ContentType.ofValues),
    answers: MediaType.forOne, requires: .administration, using: \.triggers
  ) { call, triggers in
    let skips = try await call.skipsFailure
    guard let status = try await triggers?.resume(call.captured, skipping: skips) else {
      throw APIError.triggerNotFound
    }
    return Response(
      status: .ok, content: call.mediaType.bytes(of: .document(status.notation)), call.mediaType)
  }
}

extension Call {
  /// Whether the content has a trigger go on behind what it failed for.
  fileprivate var skipsFailure: Bool {
    get async throws {
      guard case .document(let members) = try await value() else {
        throw APIError.invalidMembers([MemberError(pointer: "", rule: .wrongType)])
      }
      var skips = false
      for element in members.elements {
        guard element.key == "skip" else {
          throw APIError.invalidMembers([MemberError(pointer: "", rule: .unknownMember)])
        }
        guard case .bool(let flag) = element.value else {
          throw APIError.invalidMembers([MemberError(pointer: "/skip", rule: .wrongType)])
        }
        skips = flag
      }
      return skips
    }
  }
}

extension TriggerStatus {
  fileprivate var notation: Document {
    var document: Document = ["name": .string(trigger.name)]
    switch trigger.cause {
    case .changes(let watched): document.append("class", .string(watched.objectType))
    case .time(let schedule): document.append("schedule", .string(schedule.text))
    case .authentication(let watched): document.append("authentication", .string(watched.operation.rawValue))
    }
    switch trigger.action {
    case .function(let name): document.append("function", .string(name))
    case .webhook(let webhook): document.append("webhook", .string(webhook.url))
    }
    document.append("state", .string(state.rawValue))
    if let position { document.append("position", .string(position)) }
    if let lag { document.append("lag", .int64(lag)) }
    if let next { document.append("next", .string(next.description)) }
    document.append("calls", .int64(Int64(calls)))
    document.append("failures", .int64(Int64(failures)))
    if lost > 0 { document.append("lost", .int64(Int64(lost))) }
    if attempts > 0 { document.append("attempts", .int64(Int64(attempts))) }
    if let error { document.append("error", .string(error)) }
    return document
  }
}
