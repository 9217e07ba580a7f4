/// An answer to a request.
public struct Response: Sendable {
  public var status: Status
  public var fields: Fields
  public var body: ResponseBody
  /// The template of the resource for logs and metrics, as in `/v1/collections/{class}`; never sent.
  public var route: String?
  /// The app that the resource is of, for logs; never sent. Nil: it is of none.
  public var app: String?
  /// Kept by the server until the content that is `bytes` has left or the connection has ended, such as the reservation
  /// of its memory.
  public var retained: (any AnyObject & Sendable)?

  public init(status: Status, fields: Fields = Fields(), body: ResponseBody = .empty) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

extension Request {
  /// Whether the request is `OPTIONS *`, which asks about the server and not about a resource.
  public var isAboutServer: Bool {
    method == .options && target.withPathBytes { $0.count == 1 && $0[0] == 0x2a }
  }
}

extension Response {
  /// The answer to `OPTIONS *` (RFC 9110 §9.3.7).
  public static let serverOptions = Response(
    status: .noContent,
    fields: Fields([.init(name: "allow", value: Method.allCases.map(\.rawValue).joined(separator: ", "))]))
}
