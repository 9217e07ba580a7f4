import Access
import Audit
import BSON
import Feeds
import HTTP
import Model
import Query
import Storage

/// GET of a resource as an event stream: the resource, watched.
struct Subscribe: Sendable {
  private let subscription: Subscription
  private let start: LogStart
  private let client: UInt64

  /// Watches everything.
  init(toAllOf call: Call) throws {
    try call.permit?.requireOverview()
    try self.init(call, .everything)
  }

  /// Watches a class.
  init(toClassOf call: Call) throws {
    try self.init(call, .objectType(call.collectionType().name))
  }

  /// Watches one object, which must be there unless the client knew it before.
  init(toObjectOf call: Call, reader: Reader) throws {
    let type = try call.collectionType()
    let id = try call.identifier(of: type)
    try self.init(call, .object(type.name, id: id))
    let condition = try call.permit?.visibility(of: type.name)
    guard start == .latest, try reader.version(type.name, id: id, where: condition) == nil else { return }
    throw StorageError.objectNotFound(objectType: type.name, id: id)
  }

  private init(_ call: Call, _ scope: Subscription.Scope) throws {
    let parameters = call.parameters
    var subscription = Subscription(
      scope, filter: parameters[.filter], arguments: try QueryParameters.arguments(parameters[.args]),
      fields: parameters[.fields], expand: parameters[.expand], showsValues: try parameters.flag(.values))
    // Where EventSource was when it lost the connection is later than where its URL says it began.
    let last = call.request.fields["last-event-id"].flatMap { $0.isEmpty ? nil : LogPosition(text: $0) }
    start = try last.map { .after($0) } ?? ReadChanges.start(parameters[.since])
    client = call.request.peer.client
    do throws(SubscriptionError) {
      try subscription.check(in: call.schema)
    } catch {
      switch error {
      case .query(let error): throw error
      case .clauses: throw Refusal.invalidParameter(.filter)
      case .unknownClass(let name): throw Refusal.unknownClass(name: name, nearest: nil)
      }
    }
    if let permit = call.permit { try subscription.restrict(by: permit, in: call.schema) }
    self.subscription = subscription
  }

  func response(from gateway: Gateway, _ recording: Recording?) throws(Refusal) -> Response {
    guard let branch = gateway.branch, gateway.hub.admit(client) else { throw .tooManySubscribers }
    let witness = recording.flatMap { recording in
      recording.recordsReads ? gateway.later.map { Witness(recording, gateway.store, on: $0) } : nil
    }
    let stream = EventStream(subscription, from: start, on: branch, client: client, witness: witness)
    var response = Response(status: .ok, body: .pushed(stream))
    response.fields.append("content-type", MediaType.eventStream.name)
    response.fields.append("cache-control", "no-store")
    // nginx would keep events until it has a buffer full of them.
    response.fields.append("x-accel-buffering", "no")
    response.fields.append("vary", "accept")
    return response
  }
}
