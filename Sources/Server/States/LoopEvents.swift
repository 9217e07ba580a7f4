internal import Dispatch
internal import GatehousePolling

/// How an event loop learns what has happened, and when.
struct LoopEvents: ~Copyable {
  /// The events of the last wait that have not been handled.
  var batch = EventBatch(capacity: 256)
  /// The time of the last wait's end.
  var time = LoopTime.now()
  var timer: LoopTimer
  let ticks: TickDescriptor
  /// Ends the sleep; nil while the loop is not asleep.
  var source: (any DispatchSourceRead)?

  /// No connection's address, and no acceptor's number.
  static let tickTag = UInt64.max - 1

  /// `ticks` is what the loop's poller watches as ``tickTag``.
  init(tick: Duration, ticks: consuming TickDescriptor) {
    let (seconds, attoseconds) = tick.components
    timer = LoopTimer(interval: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000)
    self.ticks = ticks
  }

  /// Starts the timer; false: it is on already.
  mutating func startTimer() -> Bool {
    guard timer.start() else { return false }
    ticks.set(nanoseconds: timer.interval)
    return true
  }

  mutating func stopTimer() {
    timer.stop()
    ticks.set(nanoseconds: 0)
  }
}
