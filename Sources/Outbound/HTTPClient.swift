/// Sends requests to other servers, by libcurl: HTTP/1.1, with TLS where the URL says so.
///
/// Connections are kept for the next request to the same server. Redirects are answers like any other: who follows one makes a
/// request of its own. Requests run beside each other, on one thread for as long as there are any; there are at most 64 connections,
/// and 16 to one server, and what comes on top waits.
public final class HTTPClient: Sendable {
  private let loop: TransferLoop
  private let policy: AddressPolicy
  private let certificates: String?

  /// - Parameters:
  ///   - policy: Which addresses its requests may go to.
  ///   - certificates: A file in PEM of the authorities that are trusted; nil: those of the system.
  public init(_ policy: AddressPolicy, certificates: String? = nil) {
    loop = TransferLoop()
    self.policy = policy
    self.certificates = certificates
  }

  /// Sends a request and returns the answer. Where the task is cancelled, so is the request; what the other side has read of it by
  /// then may have been done.
  public func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(ClientError) {
          let transfer = try Transfer(
            request, policy: policy, certificates: certificates, cancellation: cancellation,
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
