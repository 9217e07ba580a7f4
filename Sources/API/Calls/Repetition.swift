import GatehouseHTTP
import GatehouseQuery
import GatehouseStorage

/// The key and digest by which a request is recognised when it comes again.
struct Repetition: Sendable {
  private let key: IdempotencyKey
  private let fingerprint: UInt64

  /// Nil: the call has no key. `content` is the call's.
  init?(of call: Call, _ content: [UInt8]) {
    guard let key = call.idempotencyKey else { return nil }
    self.key = key
    fingerprint = call.fingerprint(content)
  }

  /// Returns what is kept with the commit, so that a repetition is answered by `response` as well.
  func record(_ response: @escaping @Sendable (Commit) -> Response) -> IdempotencyRecord {
    IdempotencyRecord(key: key.text, fingerprint: fingerprint) { response($0).stored }
  }
}

extension Call {
  /// Returns a digest that distinguishes the request from others with the same key.
  func fingerprint(_ content: [UInt8]) -> UInt64 {
    var hash = fingerprint
    hash.combine(content)
    return hash.value
  }

  /// The digest of the head, to which pieces of content are added.
  var fingerprint: FNV1a {
    var hash = FNV1a()
    for part in [
      request.method.rawValue, request.target.path, request.target.query ?? "",
      request.fields["content-type"] ?? "",
    ] {
      hash.combine(part)
      hash.combine(0xFF)
    }
    return hash
  }
}
