/// Sends requests to other servers, by libcurl: HTTP/1.1, with TLS where the URL says so.
///
/// Connections are kept for the next request to the same server. Redirects are answers like any other: who follows one makes a
/// request of its own. Requests run beside each other, on one thread for as long as there are any; there are at most 16 connections to
/// one server unless it is told otherwise, and four times as many in all, and what comes on top waits.
public final class HTTPClient: Sendable {
  private let loop: TransferLoop
  private let policy: AddressPolicy
  private let certificates: String?

  /// - Parameters:
  ///   - policy: Which addresses its requests may go to.
  ///   - certificates: A file in PEM of the authorities that are trusted; nil: those of the system.
  ///   - connectionsPerServer: The connections that there are to one server at most.
  public init(_ policy: AddressPolicy, certificates: String? = nil, connectionsPerServer: Int = 16) {
    loop = TransferLoop(connectionsPerServer: connectionsPerServer)
    self.policy = policy
    self.certificates = certificates
  }

  /// Sends a request and returns the answer. Where the task is cancelled, so is the request; what the other side has read of it by
  /// then may have been done.
  public func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
    try await perform(request, nil)
  }

  /// Sends a request whose answer may go on for as long as it likes, and returns when that has ended. The content of an answer with
  /// status 200 is handed to `take` piece by piece, on the client's thread, and is not returned; that of any other is, as
  /// ``send(_:)`` does. The request's `timeout` is that between two pieces, in whole seconds.
  public func stream(
    _ request: ClientRequest, to take: @escaping @Sendable ([UInt8]) -> Void
  ) async throws(ClientError) -> ClientResponse {
    try await perform(request, take)
  }

  private func perform(
    _ request: ClientRequest, _ take: (@Sendable ([UInt8]) -> Void)?
  ) async throws(ClientError) -> ClientResponse {
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(ClientError) {
          let transfer = try Transfer(
            request, policy: policy, certificates: certificates, cancellation: cancellation, take: take,
            completion: { continuation.resume(returning: $0) })
          loop.submit(transfer)
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    } onCancel: {
      cancellation.request()
      loop.wake()
    }
    return try result.get()
  }
}
