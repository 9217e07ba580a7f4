internal import GatehouseHTTP

/// A request for a worker.
struct WaitingRequest {
  let connection: SocketConnection
  let request: Request
}
