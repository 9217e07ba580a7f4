internal import GatehouseOutbound
internal import GatehouseScheduling
internal import Synchronization

/// Sends requests to log servers over HTTP, for callers that wait on their thread.
final class WaitingClient: Sendable {
  typealias Answer = Result<ClientResponse, ClientError>

  private let client: HTTPClient
  private let scheduler: any Scheduler

  /// - Parameter authorities: A file in PEM of the authorities that are trusted; nil: those of the system.
  init(authorities: String?, scheduler: any Scheduler) {
    client = HTTPClient(.all, certificates: authorities)
    self.scheduler = scheduler
  }

  /// Sends a request, and waits for the answer.
  func send(_ request: ClientRequest) -> Answer {
    let pending = PendingAnswer(scheduler)
    Task {
      do throws(ClientError) {
        pending.finish(.success(try await client.send(request)))
      } catch { pending.finish(.failure(error)) }
    }
    return pending.wait()
  }

  /// Sends a request whose answer goes on, and calls `received` with each piece of it, until the task is cancelled or the answer ends.
  func stream(_ request: ClientRequest, received: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    Task { [client] in _ = try? await client.stream(request) { _ in received() } }
  }
}

/// An answer that a thread waits for.
private final class PendingAnswer: Sendable {
  private let answer = Mutex<WaitingClient.Answer>(.failure(.cancelled))
  private let signal: any Signal

  init(_ scheduler: any Scheduler) { signal = scheduler.makeSignal() }

  func finish(_ answer: WaitingClient.Answer) {
    self.answer.withLock { $0 = answer }
    signal.signal()
  }

  func wait() -> WaitingClient.Answer {
    signal.wait()
    return answer.withLock(\.self)
  }
}
