internal import GatehouseHTTP

/// The content of a response on its way from its producer to its connection.
///
/// @unchecked Sendable: Because it is touched on its connection's loop only.
final class ResponseStream: BodyWriter, @unchecked Sendable {
  private typealias Waiter = UnsafeContinuation<Void, any Error>

  private let loop: EventLoop
  private weak var connection: SocketConnection?
  private var waiters: [Waiter] = []

  init(_ connection: SocketConnection) {
    self.connection = connection
    loop = connection.loop
  }

  func write(_ bytes: [UInt8]) async throws {
    try await withUnsafeThrowingContinuation { waiter in
      loop.execute { self.write(bytes, waiter) }
    }
  }

  private func write(_ bytes: [UInt8], _ waiter: Waiter) {
    guard let connection, connection.write(bytes) else {
      return waiter.resume(throwing: ClientDisconnectedError())
    }
    if connection.isFull {
      waiters.append(waiter)
    } else {
      waiter.resume()
    }
  }

  /// There is room again.
  func resume() {
    for waiter in removeWaiters() { waiter.resume() }
  }

  /// The client is gone.
  func fail() {
    connection = nil
    for waiter in removeWaiters() { waiter.resume(throwing: ClientDisconnectedError()) }
  }

  private func removeWaiters() -> [Waiter] {
    var removed: [Waiter] = []
    swap(&removed, &waiters)
    return removed
  }
}
