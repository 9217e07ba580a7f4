import GatehouseHTTP

/// The endpoints of a folder. Adding a feature is adding its folder and its line in `Features.swift`.
struct Feature: Sendable {
  let endpoints: [Endpoint]
  /// The form of errors for clients of another protocol; nil: problem details (RFC 9457).
  var errorFormat: ErrorFormat?

  /// The form of errors below a path.
  struct ErrorFormat: Sendable {
    let path: String
    let response: @Sendable (any Error, Request) -> Response
  }
}
