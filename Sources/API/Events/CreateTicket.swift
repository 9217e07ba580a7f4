import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseModel

extension Endpoint {
  static let createTicket = Endpoint(
    "createTicket", .post("/v1/tickets", reads: ContentType.ofValues).answered(by: .asked),
    answers: MediaType.forOne,
    requires: .someRole, using: \.events
  ) { call, events in try await CreateTicket(call, events).answer(call, events) }
}

/// POST of a ticket: the right to open one event stream without a credential, for clients that can send none.
private struct CreateTicket: Sendable {
  private enum Request: Sendable {
    case one(Target)
    case many(SubscriptionList)
  }

  private let request: Request

  init(_ call: Call, _ events: EventAccess) async throws {
    guard case .document(let members) = try await call.value() else {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .wrongType)])
    }
    for name in members.elements.map(\.key) where name != "url" && name != "subscriptions" {
      let token = name.replacing("~", with: "~0").replacing("/", with: "~1")
      throw APIError.invalidMembers([MemberError(pointer: "/\(token)", rule: .unknownMember)])
    }
    if let list = members["subscriptions"], members["url"] == nil {
      request = .many(try SubscriptionList(list, for: events, at: "/subscriptions"))
    } else {
      request = .one(try Target(members["url"], at: "/url"))
      if members["subscriptions"] != nil {
        throw APIError.invalidMembers([MemberError(pointer: "/subscriptions", rule: .unknownMember)])
      }
    }
  }

  /// Answers with a ticket, if the resource can be watched: an EventSource could not say why its stream is refused.
  func answer(_ call: Call, _ events: EventAccess) async throws -> Response {
    let ticket: Ticket
    switch request {
    case .one(let target):
      do { _ = try await events.open(target, nil, call) } catch { throw PointedError(error, pointer: "/url") }
      ticket = Ticket(resource: try Ticket.Resource(target), principal: call.principal)
    case .many(let list):
      for opened in try await list.open(for: call, by: events, at: "/subscriptions") {
        events.broker.release(opened.client)
      }
      let resource = try Ticket.Resource(Target(path: Endpoint.openStreamByTicket.template))
      ticket = Ticket(resource: resource, principal: call.principal, content: list.json)
    }
    let text = try events.tickets.issue(ticket, to: call.caller)
    var response = Response(
      status: .created, content: call.mediaType.bytes(of: .document(["ticket": .string(text)])),
      call.mediaType)
    // RFC 9111 §5.2.2.5: it is good once.
    response.fields.append("cache-control", "no-store")
    return response
  }
}

extension Target {
  /// Reads a URL without its origin, which stands at `pointer` of a content.
  init(_ value: Value?, at pointer: String) throws(APIError) {
    switch value {
    case .string(let text)? where text.hasPrefix("/"):
      let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
        .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      self.init(path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil)
    case nil: throw .invalidMembers([MemberError(pointer: pointer, rule: .missing)])
    case _?: throw .invalidMembers([MemberError(pointer: pointer, rule: .wrongType)])
    }
  }
}
