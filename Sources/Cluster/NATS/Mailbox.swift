internal import GatehouseScheduling
internal import Synchronization

/// The answers to one request, which one thread takes.
final class Mailbox: Sendable {
  let number: UInt64
  /// The subject that answers go to.
  let subject: String
  private let deliveries = Mutex<[Delivery]>([])
  private let signal: any Signal

  init(number: UInt64, subject: String, _ scheduler: any Scheduler) {
    (self.number, self.subject) = (number, subject)
    signal = scheduler.makeSignal()
  }

  enum Taking {
    case delivery(Delivery)
    /// Nothing has come within the limit.
    case nothing
    /// The connection has ended.
    case closed
  }

  /// Takes the next answer, and waits for it.
  func take(limit: Duration) -> Taking {
    // Each delivery, and the end, has raised the signal once.
    guard signal.wait(for: limit) else { return .nothing }
    return deliveries.withLock { $0.isEmpty ? .closed : .delivery($0.removeFirst()) }
  }

  func put(_ delivery: Delivery) {
    deliveries.withLock { $0.append(delivery) }
    signal.signal()
  }

  func close() { signal.signal() }
}
