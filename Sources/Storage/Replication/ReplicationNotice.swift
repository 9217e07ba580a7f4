/// A message of a transaction to every store that applies it, for what is not in the rows: each has its own files to write.
public struct ReplicationNotice: Hashable, Sendable {
  /// The name of whoever understands it (``Store/handleNotices(of:_:)``).
  public let kind: String
  public let content: [UInt8]

  public init(_ kind: String, _ content: [UInt8]) {
    self.kind = kind
    self.content = content
  }
}
