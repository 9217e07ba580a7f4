/// Answers requests. The server calls it on the event loop of the request's connection.
///
/// Each event loop has a handler of its own, so that a handler may keep what belongs to one loop.
public protocol Handler: Sendable {
  func respond(to request: Request) async -> Response
}
