internal import Dispatch

/// The scheduler of production: Dispatch's queues, and the system's semaphores.
public struct DispatchScheduler: Scheduler {
  public init() {}

  public func makeLane(_ label: String, priority: LanePriority) -> any Lane {
    let quality: DispatchQoS =
      switch priority {
      case .userInitiated: .userInitiated
      case .utility: .utility
      }
    return DispatchLane(DispatchQueue(label: label, qos: quality))
  }

  public func makeSignal() -> any Signal { SystemSignal() }
}

private final class DispatchLane: Lane {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func async(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + delay.interval, execute: work)
  }

  func sync(_ work: () -> Void) {
    // It would wait for itself.
    dispatchPrecondition(condition: .notOnQueue(queue))
    queue.sync(execute: work)
  }

  func suspend() { queue.suspend() }

  func resume() { queue.resume() }

  func assertIsCurrent() { dispatchPrecondition(condition: .onQueue(queue)) }

  func makeTimer() -> any LaneTimer { DispatchTimer(on: queue) }
}

/// `@unchecked Sendable`. Because Dispatch's sources may be used from any thread.
private final class DispatchTimer: LaneTimer, @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(on queue: DispatchQueue) {
    source = DispatchSource.makeTimerSource(queue: queue)
    // One that was never active must not be given up, as when a store cannot be opened.
    source.activate()
  }

  func handle(_ work: @escaping @Sendable () -> Void) { source.setEventHandler(handler: work) }

  func schedule(after delay: Duration) { source.schedule(deadline: .now() + delay.interval) }

  func cancel() { source.cancel() }
}

extension Duration {
  /// The duration as Dispatch takes it; the longest is 292 years.
  fileprivate var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return .nanoseconds(overflows ? .max : Int(clamping: nanoseconds &+ attoseconds / 1_000_000_000))
  }
}
