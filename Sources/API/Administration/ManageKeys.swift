import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel

extension Endpoint {
  /// Shows the keys without their secrets.
  static let listKeys = Endpoint(
    "listKeys", .get("/v1/keys"), answers: MediaType.forOne, requires: .administration, using: \.access
  ) { call, access in
    let keys = Value.array(access.keys.map { .document($0.summary) })
    return Response(status: .ok, content: call.mediaType.bytes(of: keys), call.mediaType)
  }

  static let createKey = Endpoint(
    "createKey", .post("/v1/keys", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .administration, using: \.access
  ) { call, access in
    try await KeyRequest(call).answer(call, access)
  }

  static let revokeKey = Endpoint(
    "revokeKey", .delete("/v1/keys/{key}"), requires: .administration, using: \.access
  ) {
    call, access in
    guard let id = ObjectID(call.captured), try await access.revokeKey(id) else {
      throw APIError.keyNotFound
    }
    return Response(status: .noContent)
  }
}

/// A key that is to be made: `{"role": "read", "name": "reports", "classes": ["City"]}`.
private struct KeyRequest: Sendable {
  private var name = ""
  private var role = ""
  private var classes: [String] = []

  init(_ call: Call) async throws {
    guard case .document(let members) = try await call.value() else {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .wrongType)])
    }
    for element in members.elements {
      switch (element.key, element.value) {
      case ("name", .string(let text)): name = text
      case ("role", .string(let text)): role = text
      case ("classes", .array(let values)):
        classes = try values.enumerated().map { index, value in
          guard case .string(let name) = value, call.schema[name] != nil else {
            throw APIError.invalidMembers([MemberError(pointer: "/classes/\(index)", rule: .unknownClass)])
          }
          return name
        }
      case ("name", _), ("role", _), ("classes", _):
        throw APIError.invalidMembers([MemberError(pointer: "/\(element.key)", rule: .wrongType)])
      default:
        throw APIError.invalidMembers([MemberError(pointer: "", rule: .unknownMember)])
      }
    }
    guard !role.isEmpty else {
      throw APIError.invalidMembers([MemberError(pointer: "/role", rule: .missing)])
    }
  }

  func answer(_ call: Call, _ control: AccessControl) async throws -> Response {
    guard control.hasRole(role) else {
      throw APIError.invalidMembers([MemberError(pointer: "/role", rule: .unknownRole)])
    }
    let (key, text) = try await control.makeKey(name: name, role: role, classes: classes)
    var summary = key.summary
    summary.append("key", .string(text))
    var response = Response(
      status: .created, content: call.mediaType.bytes(of: .document(summary)), call.mediaType)
    response.fields.append("location", "/v1/keys/\(key.id)")
    // RFC 9111 §5.2.2.5: it is shown once.
    response.fields.append("cache-control", "no-store")
    return response
  }
}
