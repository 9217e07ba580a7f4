/// A request to another server.
public struct ClientRequest: Sendable {
  /// The content of a request.
  public enum Content: Sendable {
    case none
    case bytes([UInt8])
    /// The first bytes of a file, `size` of them; it fails where there are fewer.
    case file(path: String, size: Int)
  }

  public var method: String
  /// An absolute URL, of `http` or `https`.
  public var url: String
  /// In the order in which they are sent. libcurl adds `Host`, `Content-Length` and `Accept` where they are not among them.
  public var fields: [HeaderField]
  public var content: Content
  /// The most bytes that the content of the answer may have.
  public var responseLimit: Int
  /// How long everything may take, with the wait for a connection.
  public var timeout: Duration
  /// How long it may take to look the name up, to connect, and to agree on TLS.
  public var connectTimeout: Duration

  public init(_ method: String, _ url: String, fields: [HeaderField] = [], content: Content = .none) {
    self.method = method
    self.url = url
    self.fields = fields
    self.content = content
    responseLimit = 1 << 20
    timeout = .seconds(30)
    connectTimeout = .seconds(10)
  }
}

/// A field of a message: its name, in any case, and its value.
public struct HeaderField: Hashable, Sendable {
  public let name: String
  public let value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
