internal import HTTP

/// A request for a worker.
struct WaitingRequest {
  let connection: SocketConnection
  let request: Request
}
