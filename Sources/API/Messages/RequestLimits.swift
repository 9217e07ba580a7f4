/// Bounds on what a request may ask for.
public struct RequestLimits: Hashable, Sendable {
  /// Bytes of a request's content.
  public var contentSize: Int
  /// Bytes of a stream of lines; each of them has at most ``contentSize``.
  public var streamSize: Int
  /// Objects of a page where the request does not say.
  public var defaultPageSize: Int
  /// The most objects of a page; answers that are streamed have no such bound.
  public var largestPageSize: Int
  /// Bytes of a page, but for its last object, beyond which it ends early and links to the next.
  public var pageBytes = 16 << 20

  public init(
    contentSize: Int = 16 << 20, streamSize: Int = 64 << 30, defaultPageSize: Int = 100,
    largestPageSize: Int = 1000
  ) {
    self.contentSize = contentSize
    self.streamSize = streamSize
    self.defaultPageSize = defaultPageSize
    self.largestPageSize = largestPageSize
  }
}
