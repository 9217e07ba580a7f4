/// A request whose head has been read.
public struct Request: Sendable {
  public var method: Method
  /// The path and query as they stand in the request line, still percent-encoded.
  public var target: Target
  public var fields: Fields
  public var body: RequestBody

  public init(method: Method, target: Target, fields: Fields = Fields(), body: RequestBody = .empty) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
  }
}
