/// Has a request that comes twice, because its first answer was lost, be performed once.
///
/// It is kept with the commit, in the same transaction, for a day: a request with the same key gets the
/// stored answer.
public struct IdempotencyRecord: Sendable {
  /// The client's name for the request: its `Idempotency-Key`.
  public let key: String
  /// A digest of the request; another one with the same key is refused.
  public let fingerprint: UInt64
  /// Returns the bytes that stand for the answer to a commit.
  public let answer: @Sendable (Commit) -> [UInt8]

  public init(key: String, fingerprint: UInt64, answer: @escaping @Sendable (Commit) -> [UInt8]) {
    self.key = key
    self.fingerprint = fingerprint
    self.answer = answer
  }
}
