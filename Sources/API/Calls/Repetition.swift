import HTTP
import Storage

/// What a request must be recognised by when it comes again.
struct Repetition: Sendable {
  private let key: IdempotencyKey
  private let fingerprint: UInt64

  /// Nil: the call has no key. `content` is the call's.
  init?(of call: Call, _ content: [UInt8]) {
    guard let key = call.idempotencyKey else { return nil }
    self.key = key
    fingerprint = call.fingerprint(content)
  }

  /// What is kept with the commit that `response` tells of.
  func record(_ response: @escaping @Sendable (Commit) -> Response) -> IdempotencyRecord {
    IdempotencyRecord(key: key.text, fingerprint: fingerprint) { response($0).stored }
  }
}
