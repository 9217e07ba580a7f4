import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseFunctions
import GatehouseHTTP

/// A request to an HTTPS endpoint whose proof has been checked.
struct EndpointRequest: Sendable {
  private let call: Call
  private let endpoint: HTTPEndpoint
  private let users: UserAccess
  private let query: [(name: String, value: String)]
  private let content: [UInt8]

  /// Throws ``AppServicesError/endpointNotFound`` and ``AppServicesError/endpointNotValidated``.
  init(_ call: Call, _ users: UserAccess) async throws {
    let route = call.routeSegments.map { "/\($0)" }.joined()
    guard let endpoint = users.endpoints.endpoint(for: call.endpoint.method, at: route) else {
      throw AppServicesError.endpointNotFound
    }
    (self.call, self.endpoint, self.users) = (call, endpoint, users)
    query = try call.request.target.parameters()
    content = try await call.bytes(limit: call.limits.contentSize)
    guard isValid else { throw AppServicesError.endpointNotValidated }
  }

  private var isValid: Bool {
    switch endpoint.validation {
    case .none: return true
    case .lacking: return false
    case .secret(let secret):
      let given = query.filter { $0.name == "secret" }
      return given.count == 1 && ConstantTime.isEqual(Array(given[0].value.utf8), Array(secret.utf8))
    case .signature(let secret):
      let fields = call.request.fields
      // Webhooks, which endpoints replaced in App Services, had the second name.
      guard let field = fields["endpoint-signature"] ?? fields["x-hook-signature"] else { return false }
      let parts = field.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == "sha256", let signature = Hexadecimal.bytes(of: parts[1]) else {
        return false
      }
      return MessageCode.isValid(signature, for: content, key: Array(secret.utf8))
    }
  }

  /// Calls the function and makes the response of what it says and returns.
  func answer() async throws -> Response {
    let host = users.functions.host
    let name = endpoint.function
    let needsCaller: Bool
    do throws(FunctionError) {
      needsCaller = try host.function(named: name)?.needsCaller ?? true
    } catch {
      throw AppServicesError.function(name, error)
    }
    let sender = RequestSender(request: call.request, users: users, endpoint: endpoint)
    // The proof is all that is asked for where the function has no caller.
    var principal = needsCaller ? try await sender.principal() : call.principal
    var invocation = Invocation(
      name: name, arguments: [.document(argument)], requestID: call.request.id.description,
      user: needsCaller ? principal.functionUser : nil, caller: call.caller)
    invocation.writesResponse = true
    do throws(FunctionError) {
      (invocation, principal) = try await users.functions.acting(invocation, for: call.request, by: principal)
    } catch {
      throw AppServicesError.function(name, error)
    }
    try await users.functions.record(invocation, of: call, by: principal)
    let respondent = users.functions.respondent(for: call.request, by: principal)
    do throws(FunctionError) {
      return response(of: try await host.result(of: invocation, from: .endpoint, respondent: respondent))
    } catch {
      throw AppServicesError.function(name, error)
    }
  }

  /// The request as functions get it: `query`, `headers`, each with all of its values, and `body`.
  private var argument: Document {
    var parameters = Document()
    for (name, value) in query where parameters[name] == nil { parameters.append(name, .string(value)) }
    var headers = Document()
    for line in call.request.fields.lines {
      let name = EndpointRequest.canonical(line.name)
      if let index = headers.elements.firstIndex(where: { $0.key == name }),
        case .array(let values) = headers.elements[index].value
      {
        headers.elements[index].value = .array(values + [.string(line.value)])
      } else {
        headers.append(name, .array([.string(line.value)]))
      }
    }
    var argument: Document = ["query": .document(parameters), "headers": .document(headers)]
    if !content.isEmpty { argument.append("body", .binary(Binary(bytes: content))) }
    return argument
  }

  /// The name of a field with capitals, `Content-Type`, as App Services has them.
  private static func canonical(_ name: String) -> String {
    name.split(separator: "-", omittingEmptySubsequences: false)
      .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: "-")
  }

  private func response(of result: FunctionResult) -> Response {
    let written = result.response ?? [:]
    var response = Response(status: .noContent)
    if case .array(let lines)? = written["fields"] { response.appendFields(lines) }
    let hasType = response.fields.contains("content-type")
    switch written["body"] {
    case .string(let text)?:
      response.setContent(Array(text.utf8), hasType ? nil : "text/plain; charset=utf-8")
    case .binary(let binary)?:
      response.setContent(binary.bytes, hasType ? nil : "application/octet-stream")
    default:
      if endpoint.respondsWithResult, result.value != .undefined {
        let bytes =
          endpoint.returnsExtendedJSON ? result.value.inMilliseconds.extendedJSON : result.value.plainJSON
        response.setContent(bytes, hasType ? nil : "application/json")
      }
    }
    if let status = written["status"]?.statusCode { response.status = Status(rawValue: status) }
    return response
  }
}

extension Response {
  /// The fields that the server sets itself.
  private static let reserved: Set<String> = [
    "connection", "content-length", "date", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  fileprivate mutating func setContent(_ bytes: [UInt8], _ type: StaticString?) {
    status = .ok
    body = .bytes(bytes)
    if let type { fields.append("content-type", "\(type)") }
  }

  fileprivate mutating func appendFields(_ lines: [Value]) {
    for line in lines {
      guard case .document(let line) = line, case .string(let name)? = line["name"],
        case .string(let value)? = line["value"], !Response.reserved.contains(name)
      else { continue }
      fields.append(Fields.Line(name: name, value: value))
    }
  }
}

extension Value {
  fileprivate var statusCode: UInt16? {
    if case .int32(let number) = self, (200...599).contains(number) { UInt16(number) } else { nil }
  }
}
