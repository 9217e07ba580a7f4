import Access
import BSON

extension Users {
  /// What a user is told of themselves. Throws ``UserError``.
  func profile(_ text: String) async throws -> Document {
    let user = try await read { try self.user(showing: text, .access, $0).user }
    let identities = user.identities.map { identity in
      Value.document([
        "id": .string(identity.subject), "provider_type": .string(identity.provider),
        "provider_id": .string(UserToken.domain),
      ])
    }
    return [
      "user_id": .string(user.id.description), "domain_id": .string(UserToken.domain),
      "identities": .array(identities), "data": .document(user.data), "type": .string("normal"),
    ]
  }
}
