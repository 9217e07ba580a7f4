import GatehouseAccess
import GatehouseStorage

/// The Idempotency-Key of a request (draft-ietf-httpapi-idempotency-key-header-07): a string of RFC 9651 §3.3.3.
struct IdempotencyKey: Hashable, Sendable {
  static let longest = 255

  let text: String

  /// The principal's: the same text of another caller is another key.
  ///
  /// Throws ``APIError/invalidIdempotencyKey``.
  init(_ field: String, of principal: Principal) throws(APIError) {
    let text = try IdempotencyKey(field).text
    self.text = principal.id.isEmpty ? text : "\(principal.id)\n\(text)"
  }

  /// Throws ``APIError/invalidIdempotencyKey``.
  init(_ field: String) throws(APIError) {
    var bytes = Array(field[...].trimmed.utf8)[...]
    guard bytes.count >= 2, bytes.popFirst() == UInt8(ascii: "\""), bytes.popLast() == UInt8(ascii: "\"")
    else { throw .invalidIdempotencyKey }
    var text: [UInt8] = []
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"):
        guard let escaped = bytes.popFirst(), escaped == UInt8(ascii: "\"") || escaped == byte else {
          throw .invalidIdempotencyKey
        }
        text.append(escaped)
      case 0x20...0x7E where byte != UInt8(ascii: "\""): text.append(byte)
      default: throw .invalidIdempotencyKey
      }
    }
    guard (1...IdempotencyKey.longest).contains(text.count) else { throw .invalidIdempotencyKey }
    self.text = String(decoding: text, as: UTF8.self)
  }
}

/// A key, for as long as the request that came with it is being answered.
struct IdempotencyClaim: ~Copyable {
  private let key: String
  private let store: Store

  /// Throws ``APIError/idempotencyKeyInUse``.
  init(_ key: IdempotencyKey, in store: Store) throws(APIError) {
    guard store.claim(key.text) else { throw .idempotencyKeyInUse }
    self.key = key.text
    self.store = store
  }

  deinit {
    store.release(key)
  }
}
