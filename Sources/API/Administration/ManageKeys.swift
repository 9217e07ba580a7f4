import Access
import BSON
import HTTP
import Model

/// The API keys: GET shows them without their secrets, POST makes one, DELETE takes one away.
enum ManageKeys: Sendable {
  case list(MediaType)
  case create(name: String, role: String, classes: [String], MediaType)
  case revoke(ObjectID)

  init(listing call: Call) {
    self = .list(call.mediaType)
  }

  /// `{"role": "read", "name": "reports", "classes": ["City"]}`.
  init(creating call: Call, limit: Int) async throws {
    guard case .document(let members) = try await call.value(limit: limit) else {
      throw APIError.invalidMembers([MemberError(pointer: "", rule: .wrongType)])
    }
    var (name, role) = ("", "")
    var classes: [String] = []
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
    self = .create(name: name, role: role, classes: classes, call.mediaType)
  }

  init(revoking call: Call) throws(APIError) {
    guard let id = ObjectID(call.captured) else { throw .keyNotFound }
    self = .revoke(id)
  }

  func response(from control: AccessControl) async throws -> Response {
    switch self {
    case .list(let mediaType):
      let keys = control.keys
      return Response(
        status: .ok, content: mediaType.bytes(of: .array(keys.map { .document($0.summary) })), mediaType)
    case .create(let name, let role, let classes, let mediaType):
      guard control.hasRole(role) else {
        throw APIError.invalidMembers([MemberError(pointer: "/role", rule: .unknownRole)])
      }
      let (key, text) = try await control.makeKey(name: name, role: role, classes: classes)
      var summary = key.summary
      summary.append("key", .string(text))
      var response = Response(status: .created, content: mediaType.bytes(of: .document(summary)), mediaType)
      response.fields.append("location", "/v1/keys/\(key.id)")
      // RFC 9111 §5.2.2.5: it is shown once.
      response.fields.append("cache-control", "no-store")
      return response
    case .revoke(let id):
      guard try await control.revokeKey(id) else { throw APIError.keyNotFound }
      return Response(status: .noContent)
    }
  }
}
