import BSON
import HTTP
import Model
import Query
import Storage

/// GET of a collection: the objects that match, page by page.
struct FindObjects: Sendable {
  /// The bytes of a stream that are made at once, but for the last object's.
  static let pieceSize = 1 << 20
  private let wantsTotal: Bool
  private let objectType: ObjectType
  private let request: QueryRequest
  /// At most so many objects in the answer; nil: all.
  private let limit: Int?
  private let cursor: Cursor?
  private let cursors: CursorToken
  private let parameters: Parameters
  private let mediaType: MediaType

  init(_ call: Call, limits: Gateway.Limits) throws {
    parameters = call.parameters
    mediaType = call.mediaType
    wantsTotal = call.preferences.countsExactly
    objectType = try call.collectionType()
    request = QueryRequest(
      filter: parameters[.filter], arguments: try FindObjects.arguments(parameters[.args]),
      sort: parameters[.sort], distinct: parameters[.distinct], fields: parameters[.fields],
      expand: parameters[.expand])
    limit = try FindObjects.limit(parameters[.limit], mediaType, limits)
    cursors = CursorToken(objectType: objectType.name, parameters: parameters)
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

  func response(from reader: Reader, for gateway: Gateway, plan: Plan) throws -> Response {
    let total = wantsTotal ? try reader.count(plan) : nil
    var plan = plan
    let largest = gateway.limits.largestPageSize
    plan.pageSize = min(limit ?? largest, largest)
    var bytes: [UInt8] = []
    let page = try reader.page(
      plan, as: mediaType.representation, framing: mediaType.framing,
      atMost: mediaType == .jsonLines ? Self.pieceSize : .max, into: &bytes)
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
    return "</v1/collections/\(objectType.name.percentEncoded)?\(query)>; rel=\"next\""
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
        let (page, bytes) = try await gateway.read { [plan] reader in
          var bytes: [UInt8] = []
          let page = try reader.page(
            plan, as: mediaType.representation, framing: mediaType.framing, atMost: Self.pieceSize,
            into: &bytes)
          return (page, bytes)
        }
        if !bytes.isEmpty { try await writer.write(bytes) }
        guard let next = page.next else { return }
        plan.cursor = next
        rest = rest.map { $0 - page.count }
      }
    }
  }
}
