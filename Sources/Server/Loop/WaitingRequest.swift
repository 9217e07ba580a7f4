internal import GatehouseHTTP

/// A request for a task.
struct WaitingRequest {
  let connection: SocketConnection
  let request: Request
}
