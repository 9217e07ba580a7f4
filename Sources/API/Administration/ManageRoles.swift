import GatehouseAccess
import GatehouseHTTP
import GatehouseModel

// The roles that an operator has defined.
extension Endpoint {
  static let readRoles = Endpoint(
    "readRoles", .get("/v1/roles"), answers: MediaType.forOne, requires: .administration, using: \.access
  ) { call, access in Response(showing: access.current.policy, call.mediaType) }

  /// Replaces all roles.
  static let applyRoles = Endpoint(
    "applyRoles", .put("/v1/roles", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .administration, using: \.access
  ) { call, access in
    let policy = try Policy(notation: try await call.value())
    try policy.validate(in: call.schema)
    try await access.replacePolicy(policy)
    return Response(showing: policy, call.mediaType)
  }
}

extension Response {
  fileprivate init(showing policy: Policy, _ mediaType: MediaType) {
    self.init(status: .ok, content: mediaType.bytes(of: policy.notation), mediaType)
  }
}
