import BSON
import HTTP
import Model
import Query
import Storage

/// GET of a collection: the objects that match, page by page.
struct FindObjects: Sendable {
  let wantsTotal: Bool
  private let objectType: ObjectType
  private let request: QueryRequest
  /// At most so many objects in the answer; nil: all.
  private let limit: Int?
  private let cursor: Cursor?
  private let cursors: CursorToken
  private let parameters: Parameters
  private let mediaType: MediaType
  /// Of the resource, for the link to the next page.
  private let path: String
  /// For linking objects: the property through which they link.
  private let link: String?

  init(_ call: Call, limits: Gateway.Limits) throws {
    let type = try call.collectionType()
    try self.init(call, limits: limits, of: type, at: "/v1/collections/\(type.name.percentEncoded)", nil)
  }

  /// The objects of a class whose property links to an object.
  init(_ call: Call, limits: Gateway.Limits, linkingFrom source: String, _ property: String) throws {
    guard let type = call.schema[source] else { throw Refusal.unknownClass(name: source, nearest: nil) }
    for name in [Parameters.Name.only, .contains, .indexOf, .aggregate] where call.parameters[name] != nil {
      throw Refusal.invalidParameter(name)
    }
    try self.init(call, limits: limits, of: type, at: call.request.target.path, property)
  }

  private init(
    _ call: Call, limits: Gateway.Limits, of objectType: ObjectType, at path: String, _ link: String?
  ) throws {
    self.objectType = objectType
    self.path = path
    self.link = link
    parameters = call.parameters
    mediaType = call.mediaType
    wantsTotal = call.preferences.countsExactly
    request = QueryRequest(
      filter: parameters[.filter], arguments: try FindObjects.arguments(parameters[.args]),
      sort: parameters[.sort], distinct: parameters[.distinct], fields: parameters[.fields],
      expand: parameters[.expand])
    limit = try FindObjects.limit(parameters[.limit], mediaType, limits)
    cursors = CursorToken(objectType: link == nil ? objectType.name : path, parameters: parameters)
    cursor = try parameters[.cursor].map(cursors.cursor(from:))
  }

  static func arguments(_ text: String?) throws(Refusal) -> [Value] {
    guard let text else { return [] }
    do {
      guard case .array(let values) = try Value(json: text) else { throw Refusal.invalidParameter(.args) }
      return values
    } catch let error as JSONError {
      throw .malformedArguments(error)
    } catch {
      throw .invalidParameter(.args)
    }
  }

  /// The parameter `limit`; nil: everything.
  static func limit(
    _ text: String?, _ mediaType: MediaType, _ limits: Gateway.Limits
  ) throws(Refusal) -> Int? {
    let largest = mediaType == .jsonLines ? Int.max : limits.largestPageSize
    guard let text else { return mediaType == .jsonLines ? nil : limits.defaultPageSize }
    guard let limit = Int(text), limit >= 1, limit <= largest else {
      throw .limitOutOfRange(maximum: largest)
    }
    return limit
  }

  func plan(in schema: Schema) throws -> Plan {
    var plan = try Plan(request: request, schema: schema, objectType: objectType.name)
    plan.cursor = cursor
    return plan
  }

  /// Those of the objects that link to one object.
  func plan(in schema: Schema, linkingTo target: String, _ id: Mixed) throws -> Plan {
    var plan = try plan(in: schema)
    guard let link else { return plan }
    let reference = Mixed.reference(to: target, id: id.value { _ in .null })
    let linking = try Plan(
      request: QueryRequest(filter: "\(link) == $0", arguments: [reference]), schema: schema,
      objectType: objectType.name)
    plan.predicate = .all([linking.predicate, plan.predicate])
    return plan
  }

  func response(from gateway: Gateway, plan: Plan, total: Int?) throws -> Response {
    var plan = plan
    let largest = gateway.limits.largestPageSize
    plan.pageSize = min(limit ?? largest, largest)
    var bytes: [UInt8] = []
    let page = try gateway.reader.page(
      plan, as: mediaType.representation, framing: mediaType.framing, into: &bytes)
    var response = Response(status: .ok, content: bytes, mediaType)
    if let total {
      response.fields.append("total-count", String(total))
      response.fields.append("preference-applied", "count=exact")
    }
    guard let next = page.next else { return response }
    let rest = limit.map { $0 - page.count }
    guard mediaType == .jsonLines, rest != 0 else {
      response.fields.append("link", link(to: next))
      return response
    }
    plan.cursor = next
    response.body = stream(from: gateway, plan: plan, after: bytes, rest: rest)
    return response
  }

  /// The URI of the next page (RFC 8288).
  private func link(to next: Cursor) -> String {
    let query = parameters.query(cursor: cursors.text(of: next))
    return "<\(path)?\(query)>; rel=\"next\""
  }

  /// Reads page after page, as fast as the client takes them. A failure ends the connection before the end of
  /// the content, so that nobody takes a part for the whole.
  private func stream(from gateway: Gateway, plan: Plan, after first: [UInt8], rest: Int?) -> ResponseBody {
    let mediaType = mediaType
    return .stream { writer in
      try await writer.write(first)
      var plan = plan
      var rest = rest
      while rest != 0 {
        plan.pageSize = min(rest ?? .max, gateway.limits.largestPageSize)
        var bytes: [UInt8] = []
        let page = try gateway.reader.page(
          plan, as: mediaType.representation, framing: mediaType.framing, into: &bytes)
        if !bytes.isEmpty { try await writer.write(bytes) }
        guard let next = page.next else { return }
        plan.cursor = next
        rest = rest.map { $0 - page.count }
      }
    }
  }
}
