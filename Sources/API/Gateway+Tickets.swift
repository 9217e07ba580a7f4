import GatehouseAccess
import GatehouseHTTP

extension Gateway {
  /// Lets a request be made by whoever was given its ticket. Throws ``APIError/ticketNotTaken``, and the ticket stays
  /// good, where the request opens no event stream; ``APIError/invalidTicket`` and ``APIError/unauthorized(_:)``.
  func redeem(_ text: String, for request: inout Request, _ progress: inout Progress) throws {
    try admit(request)
    let segments = try request.target.segments()
    let resource = try router.resource(at: segments)
    progress.route = resource.template
    guard request.method == .get, let endpoint = resource.endpoint(for: .get), endpoint.isWatchable,
      try Call.mediaType(accept: request.fields["accept"], of: endpoint) == .eventStream
    else { throw APIError.ticketNotTaken }
    let access = context.access
    let ticket = try access.tickets.redeem(text, for: Ticket.Resource(request.target))
    let principal = ticket.principal
    try context.data.sessions.requireCredential(of: principal)
    progress.holder = principal.role.usesTime ? principal.asking(at: access.clock()) : principal
    if !ticket.content.isEmpty { request.body = .bytes(ticket.content) }
  }

  /// Opens the event stream that a call asks for by the URL of a resource, with the rights of the call. Throws
  /// ``APIError/notWatchable`` where there is none.
  func open(_ target: Target, after lastEventID: String?, for call: Call) async throws -> Response {
    let segments = try target.segments()
    guard case .endpoint(let endpoint, let captures) = try router.match(.get, segments), endpoint.isWatchable
    else { throw APIError.notWatchable }
    if let place = context.data.place, !call.scope.isOfNamedGroup || segments.count > 2 {
      // A position in a stream is a place in the log of one group.
      guard try NamedClasses.ofPath(segments).allSatisfy(place.contains) else { throw GroupError.several }
    }
    var request = call.request
    request.method = .get
    request.target = target
    request.body = .empty
    request.fields = Fields([Fields.Line(name: "accept", value: MediaType.eventStream.name)])
    if let lastEventID { request.fields.append("last-event-id", lastEventID) }
    let requester = Requester(
      principal: call.principal, permit: call.permit, recording: call.recording, scope: call.scope)
    let opening = try Call(
      request, to: (endpoint, captures), by: requester, in: (call.schema, call.generation),
      limits: call.limits)
    return try await endpoint.respond(opening, context)
  }
}

extension Endpoint {
  /// Whether a GET of it can be answered by a stream of changes.
  fileprivate var isWatchable: Bool {
    method == .get && requires == .permit && answers.contains(.eventStream)
  }
}
