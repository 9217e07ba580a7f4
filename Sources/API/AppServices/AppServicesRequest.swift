import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

extension Endpoint {
  /// The path below which clients of App Services expect everything.
  static let appServicesPath = "/api/client/v2.0"

  /// An endpoint about users, which asks for tokens of its own and answers in JSON of its own.
  static func ofUsers(
    _ name: String, _ request: RequestForm,
    respond: @escaping @Sendable (AppServicesRequest, Users) async throws -> Response
  ) -> Endpoint {
    Endpoint(name, request, requires: .nothing, using: \.users) { call, users in
      let request = try await AppServicesRequest(call, users.functions)
      return try await respond(request, users.require())
    }
  }
}

/// A request in App Services' protocol that is about users: logins, sessions, accounts, keys.
struct AppServicesRequest: Sendable {
  /// Bytes of a content.
  private static let largest = 1 << 20

  let call: Call
  /// The bearer token; nil: none.
  private let token: String?
  /// The functions that decide where the providers say so.
  let functions: AccountFunctions
  private let body: Document

  init(_ call: Call, _ functions: FunctionAccess) async throws {
    self.call = call
    token = call.request.fields["authorization"].flatMap(Credential.bearerToken(in:))
    self.functions = functions.accountFunctions(for: call.request)
    guard !call.endpoint.reads.isEmpty else {
      body = [:]
      return
    }
    _ = try call.readableType()
    let bytes = try await call.bytes(limit: AppServicesRequest.largest)
    guard case .document(let body)? = try? Value(json: bytes) else { throw UserError.malformedContent }
    self.body = body
  }

  /// The address that limits go by.
  var client: UInt64 { call.request.peer.client }

  func requireToken() throws(UserError) -> String {
    guard let token else { throw .noToken }
    return token
  }

  subscript(member: String) -> Value? { body[member] }

  /// The content without one of its members.
  func content(without member: String) -> Document {
    Document(body.elements.filter { $0.key != member })
  }

  /// A member that must be a text with something in it.
  func text(_ name: String) throws(UserError) -> String {
    try AppServicesRequest.text(body[name], name)
  }

  /// The text that a member has.
  static func text(_ value: Value?, _ name: String) throws(UserError) -> String {
    guard case .string(let text)? = value, !text.isEmpty else { throw .missingText(name) }
    return text
  }
}
