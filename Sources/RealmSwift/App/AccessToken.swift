import Foundation
import GatehouseBSON

/// The claims of a token of the server's (RFC 7519), which are read and not verified: who has the token got it from the server.
enum AccessToken {
  /// Returns the document that the server keeps of a user; empty where there is none.
  static func userData(in token: String) -> Document {
    guard case .document(let claims)? = claims(of: token), let data = claims["user_data"],
      let document = AnyBSON(data.withLongIntegers).documentValue
    else { return [:] }
    return document
  }

  private static func claims(of token: String) -> GatehouseBSON.Value? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64.decode(String(parts[1]), as: .urlSafe) else { return nil }
    return try? GatehouseBSON.Value(json: bytes)
  }
}

extension GatehouseBSON.Value {
  /// The value with integers of 64 bits in place of all others: as Realm reads plain numbers (C:util/bson/bson.cpp).
  fileprivate var withLongIntegers: GatehouseBSON.Value {
    switch self {
    case .int32(let value): .int64(Int64(value))
    case .array(let values): .array(values.map(\.withLongIntegers))
    case .document(let document):
      .document(
        GatehouseBSON.Document(document.elements.map { .init(key: $0.key, value: $0.value.withLongIntegers) })
      )
    default: self
    }
  }
}
