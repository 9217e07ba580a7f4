/// Makes the queues that work runs on, and the signals that threads wait for.
///
/// Passed in where work is handed over: ``DispatchScheduler`` in production; the simulator has one that takes from a seed
/// which queue is next.
public protocol Scheduler: Sendable {
  /// Makes a serial queue. The label is for those who look at threads and traces.
  func makeLane(_ label: String, priority: LanePriority) -> any Lane

  /// Makes a counting semaphore whose count is 0.
  func makeSignal() -> any Signal
}

/// The importance of a queue's work beside that of others.
public enum LanePriority: Sendable {
  /// Somebody waits for it.
  case userInitiated
  /// It may take long, and should leave the processor to others.
  case utility
}

/// A serial queue: closures run one at a time, in the order in which they were handed in.
public protocol Lane: AnyObject, Sendable {
  /// Hands in a closure.
  func async(_ work: @escaping @Sendable () -> Void)

  /// Hands in a closure when so much time has passed.
  func async(after delay: Duration, _ work: @escaping @Sendable () -> Void)

  /// Runs a closure on the queue, behind what is there, and returns when it has ended. Not to be called on the queue.
  func sync(_ work: () -> Void)

  /// Lets no closure begin until ``resume()``; as many calls of that are needed as there were of this.
  func suspend()

  /// Lets closures begin again.
  func resume()

  /// Stops the process where the caller is not on the queue.
  func assertIsCurrent()

  /// Makes a timer that runs its closure on the queue.
  func makeTimer() -> any LaneTimer
}

/// A timer that can be set again and again.
public protocol LaneTimer: AnyObject, Sendable {
  /// Sets the closure that runs when the time has come. To be called once, before the first ``schedule(after:)``.
  func handle(_ work: @escaping @Sendable () -> Void)

  /// Has the closure run once when so much time has passed, and not when it was to run before.
  func schedule(after delay: Duration)

  /// Ends the timer; its closure does not begin any more.
  func cancel()
}

/// A counting semaphore.
public protocol Signal: AnyObject, Sendable {
  /// Adds one to the count.
  func signal()

  /// Returns when the count is larger than 0, and takes one from it.
  func wait()

  /// Waits as ``wait()`` does, for so long at most; false: in vain.
  func wait(for limit: Duration) -> Bool
}
