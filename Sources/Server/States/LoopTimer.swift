/// The timer of an event loop: whether it runs, how late it is, and whether anything was done between two of its ticks.
struct LoopTimer {
  private enum State {
    case off
    /// It runs next at `due`, in nanoseconds; nil: it has not run since it was started.
    case on(due: UInt64?)
  }

  /// The nanoseconds between two ticks.
  let interval: UInt64
  private var state = State.off
  /// Whether anything was done since the last tick.
  private var wasActive = false
  /// Whether nothing was done between the last two ticks, so that the loop had better sleep.
  private(set) var isQuiet = true

  init(interval: UInt64) {
    self.interval = interval
  }

  var isOn: Bool {
    if case .on = state { true } else { false }
  }

  /// Starts the timer; false: it is on already.
  mutating func start() -> Bool {
    if isOn { return false }
    state = .on(due: nil)
    return true
  }

  mutating func stop() {
    state = .off
  }

  /// Remembers that something was done.
  mutating func noteActivity() {
    wasActive = true
  }

  /// The loop was woken, and stays awake until a tick has found that nothing was done.
  mutating func wake() {
    isQuiet = false
  }

  /// The loop may sleep at once.
  mutating func rest() {
    isQuiet = true
  }

  /// Takes note of a tick; returns how many nanoseconds it is late, nil: it is the first.
  mutating func tick(at now: UInt64) -> UInt64? {
    isQuiet = !wasActive
    wasActive = false
    guard case .on(let due) = state else { return nil }
    state = .on(due: now + interval)
    return due.map { max(now, $0) - $0 }
  }
}
