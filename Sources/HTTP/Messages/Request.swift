/// A request whose head has been read.
public struct Request: Sendable {
  public var method: Method
  public var version = Version.http11
  /// Whether it came over TLS.
  public var isSecure = false
  /// The path and query as they stand in the request line, still percent-encoded.
  public var target: Target
  public var fields: Fields
  public var body: RequestBody
  /// The request's identifier in its answer and in logs.
  public var id = RequestID.made(0)
  public var peer = PeerAddress.local
  /// The event loop that it came in on, from 0.
  public var loopIndex = 0
  /// The place of the answer to it in a trace, of which parts of the work may be parts; nil: it is not recorded.
  public var trace: TraceParent?

  public init(method: Method, target: Target, fields: Fields = Fields(), body: RequestBody = .empty) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
  }

  /// The request with that head.
  public init(
    _ head: RequestHead, body: RequestBody, id: RequestID, peer: PeerAddress, isSecure: Bool, loopIndex: Int
  ) {
    method = head.method
    version = head.version
    self.isSecure = isSecure
    target = head.target
    fields = head.fields
    self.body = body
    self.id = id
    self.peer = peer
    self.loopIndex = loopIndex
  }
}
