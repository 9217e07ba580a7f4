import Access
import HTTP
import Model

/// The roles that an operator has defined: GET shows them, PUT replaces them all.
enum ManageRoles: Sendable {
  case read(MediaType)
  case apply(Policy, MediaType)

  init(reading call: Call) {
    self = .read(call.mediaType)
  }

  init(applying call: Call, limit: Int) async throws {
    let policy = try Policy(notation: try await call.value(limit: limit))
    try policy.validate(in: call.schema)
    self = .apply(policy, call.mediaType)
  }

  func response(from control: AccessControl) async throws -> Response {
    let policy: Policy
    let mediaType: MediaType
    switch self {
    case .read(let type): (policy, mediaType) = (control.current.policy, type)
    case .apply(let new, let type):
      try await control.setPolicy(new)
      (policy, mediaType) = (new, type)
    }
    return Response(status: .ok, content: mediaType.bytes(of: policy.notation), mediaType)
  }
}
