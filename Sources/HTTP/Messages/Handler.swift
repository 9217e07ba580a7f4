/// Answers requests. The server calls it on the event loop of the request's connection.
///
/// Each event loop has a handler of its own, so that a handler may keep what belongs to one loop.
public protocol Handler: Sendable {
  /// Answers whatever HTTP allows, `OPTIONS *` as well (``Request/isAboutServer``).
  func respond(to request: Request) async -> Response
  /// Counts a request that broke a rule of HTTP, so that nobody is asked for an answer, for whoever sent it. Returns how many
  /// seconds they are to wait, which is what they are told then; nil: they may go on. Called on the loop.
  func countRefusal(of peer: PeerAddress) -> Int?
  /// The loop that the handler belongs to; called once, before the first request.
  func start(on loop: any Loop)
  /// Called on the loop when it has done what was ready, before it waits or looks for more.
  func rest()
  /// Called on the loop a few times a second while it has connections.
  func tick()
  /// The server is about to stop: what would not end by itself has to end now. Called on the loop.
  func drain()
}

extension Handler {
  public func countRefusal(of peer: PeerAddress) -> Int? { nil }
  public func start(on loop: any Loop) {}
  public func rest() {}
  public func tick() {}
  public func drain() {}
}

/// An event loop, as its handler sees it.
public protocol Loop: AnyObject, Sendable {
  /// Its number, from 0.
  var index: Int { get }
  /// The time as of the last events. On the loop only.
  var now: MonotonicTime { get }
  /// Calls `body` on the loop, after what is ready there now. May be called from any thread.
  func later(_ body: @escaping @Sendable () -> Void)
}
