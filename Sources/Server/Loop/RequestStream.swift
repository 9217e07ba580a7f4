internal import GatehouseHTTP

/// The content of a request on its way from its connection to its handler.
///
/// @unchecked Sendable: Because it is touched on its connection's loop only.
final class RequestStream: BodyReader, @unchecked Sendable {
  private typealias Waiter = UnsafeContinuation<[UInt8]?, any Error>

  private let loop: EventLoop
  private weak var connection: SocketConnection?
  private var content: [UInt8]
  private var end: Result<Void, BodyError>?
  private var waiter: Waiter?

  init(_ connection: SocketConnection, first: [UInt8]) {
    self.connection = connection
    loop = connection.loop
    content = first
  }

  /// Whether reading must stop until the handler has taken some.
  var isFull: Bool { content.count >= loop.configuration.limits.bufferedContent }

  func read() async throws -> [UInt8]? {
    try await withUnsafeThrowingContinuation { waiter in
      loop.execute { self.take(waiter) }
    }
  }

  private func take(_ waiter: Waiter) {
    if !content.isEmpty {
      let wasFull = isFull
      waiter.resume(returning: removeContent())
      if wasFull { connection?.resumeContent() }
    } else if let end {
      waiter.resume(with: end.map { nil }.mapError { $0 })
    } else {
      precondition(self.waiter == nil, "content is read by one reader")
      self.waiter = waiter
      connection?.resumeContent()
    }
  }

  private func removeContent() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &content)
    return taken
  }

  func append(_ bytes: [UInt8]) {
    precondition(end == nil, "nothing of the content comes behind its end")
    if let waiter {
      self.waiter = nil
      waiter.resume(returning: bytes)
    } else if content.isEmpty {
      content = bytes
    } else {
      content += bytes
    }
  }

  func finish() {
    end(.success(()))
  }

  /// The rest will not come.
  func fail(_ error: BodyError) {
    end(.failure(error))
  }

  private func end(_ end: Result<Void, BodyError>) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.resume(with: end.map { nil }.mapError { $0 })
    waiter = nil
  }
}
