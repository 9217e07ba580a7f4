/// Bounds how much a connection handles before others have their turn.
///
/// A turn begins with a number of requests, and each time that the connection goes on within it with a number of reads.
struct InputTurn {
  /// The next step of handling input.
  enum Step: Hashable {
    /// Handles bytes that were read before.
    case parse
    case read
    /// Lets others have their turn, and goes on after them.
    case yield
    /// There is nothing to do until more comes.
    case stop
  }

  static let mostReads = 16

  /// The requests that may still be taken.
  private(set) var requests = 0
  private var reads = 0
  /// Whether the connection is handling its input, further up the stack.
  private(set) var isRunning = false

  /// Begins a turn with that number of requests.
  mutating func begin(requests: Int) {
    self.requests = requests
  }

  /// Goes on within the turn; false: that is being done already.
  mutating func run() -> Bool {
    if isRunning { return false }
    isRunning = true
    reads = Self.mostReads
    return true
  }

  /// Ends what ``run()`` began.
  mutating func pause() {
    precondition(isRunning, "a turn that pauses was running")
    isRunning = false
  }

  /// Returns what to do, which counts. `hasUnread`: there are bytes that were read before.
  mutating func next(hasUnread: Bool, mayRead: Bool) -> Step {
    if requests <= 0 || reads == 0 { return .yield }
    if hasUnread { return .parse }
    guard mayRead else { return .stop }
    reads -= 1
    return .read
  }

  /// Counts a request; false: it was the last of the turn.
  mutating func takeRequest() -> Bool {
    precondition(requests > 0, "no more requests are taken in a turn than may be")
    requests -= 1
    return requests != 0
  }
}
