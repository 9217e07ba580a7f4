import Access
import BSON
import HTTP

/// What the operator does with users: accounts are listed, confirmed and given tokens for new passwords, users are
/// shut out and let in again.
enum ManageUsers: Sendable {
  case list(after: String, limit: Int, MediaType)
  case confirm(email: String)
  case reset(email: String, MediaType)
  case setUser(ObjectID, isDisabled: Bool)

  init(listing call: Call, limits: Gateway.Limits) throws(APIError) {
    let page = PageLimit(.json, limits)
    let limit = try call.parameters[.limit].map { text throws(APIError) in try page.limit(text) }
    self = .list(
      after: call.parameters[.cursor] ?? "", limit: limit ?? limits.defaultPageSize, call.mediaType)
  }

  init(of call: Call, isDisabled: Bool) throws(UserError) {
    guard let id = ObjectID(call.captured) else { throw .unknownUser }
    self = .setUser(id, isDisabled: isDisabled)
  }

  func response(from users: Users?) async throws -> Response {
    guard let users else { throw UserError.unknownProvider }
    switch self {
    case .list(let start, let limit, let mediaType):
      let (accounts, next) = try await users.accounts(after: start, limit: limit)
      let list = Value.array(accounts.map { .document($0) })
      var response = Response(status: .ok, content: mediaType.bytes(of: list), mediaType)
      if let next {
        let query = "limit=\(limit)&cursor=\(next.percentEncoded)"
        response.fields.append("link", "</v1/accounts?\(query)>; rel=\"next\"")
      }
      return response
    case .confirm(let email): try await users.confirm(email: email)
    case .reset(let email, let mediaType):
      let (token, id) = try await users.expect(.reset, of: email)
      let tokens = Value.document(["token": .string(token), "tokenId": .string(id)])
      var response = Response(status: .ok, content: mediaType.bytes(of: tokens), mediaType)
      response.fields.append("cache-control", "no-store")
      return response
    case .setUser(let id, let isDisabled): try await users.setUser(id, isDisabled: isDisabled)
    }
    return Response(status: .noContent)
  }
}
