import GatehouseHTTP

/// The content of a request, as its pieces come.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class ArrivingContent: BodyReader, @unchecked Sendable {
  private var pieces: [[UInt8]]
  private var end: Result<Void, BodyError>?
  private var waiter: CheckedContinuation<[UInt8]?, any Error>?

  init(first: [UInt8]) { pieces = first.isEmpty ? [] : [first] }

  func read() async throws -> [UInt8]? {
    try await withCheckedThrowingContinuation { waiter in
      self.waiter = waiter
      handOut()
    }
  }

  func append(_ bytes: [UInt8]) {
    pieces.append(bytes)
    handOut()
  }

  /// Everything has come.
  func finish() { end(.success(())) }

  /// The rest will not come.
  func fail(_ error: BodyError) { end(.failure(error)) }

  private func end(_ end: Result<Void, BodyError>) {
    if self.end == nil { self.end = end }
    handOut()
  }

  private func handOut() {
    guard let waiter, !pieces.isEmpty || end != nil else { return }
    self.waiter = nil
    if !pieces.isEmpty { return waiter.resume(returning: pieces.removeFirst()) }
    if let end { waiter.resume(with: end.map { nil }.mapError { $0 }) }
  }
}
