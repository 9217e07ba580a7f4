import GatehouseSharing

/// Decides which writes are performed next, and which are refused.
///
///     submitted ──short──▶ waiting ──next round──▶ all of them, in the order in which they came
///        │   ╲                                       then
///        │    ╲───long───▶ waiting ───its turn───▶ one, of the caller on whom the least time was spent
///     refused                 └──waited for too long──▶ overdue
///
/// So a short write waits for one long one at most, and a long one for its caller's share of the writer.
///
/// The places of short writes are shared out as ``Holdings`` does it. Nobody can have more than is free as long as fewer than
/// half of the places are taken: until then callers are not counted, so that a short write costs no more than its place in
/// an array.
struct WriteSchedule<Job> {
  /// The writes that are performed before others have their turn, in the order of the members.
  struct Round {
    /// Long ones that are not performed any more.
    fileprivate(set) var overdue: [Job] = []
    fileprivate(set) var short: [Job] = []
    fileprivate(set) var long: (element: Job, caller: Caller)?
    /// The jobs that wait until no others do.
    fileprivate(set) var last: [Job] = []
    /// Whether a long one has to wait for the next round.
    fileprivate(set) var hasSuccessor = false
  }

  private let places: Int
  /// Returns the caller of a job that waits among the short ones; nil: it is always taken.
  private let caller: @Sendable (Job) -> Caller?
  private var short: [Job] = []
  /// The places that each caller has among the short ones, once half of them are taken.
  private var holdings: Holdings?
  private var long: FairQueue<Job>
  private var last: [Job] = []
  /// Whether a round is about to be taken.
  private var isScheduled = false

  /// For that many places for short writes, and as many for long ones.
  init(places: Int, caller: @escaping @Sendable (Job) -> Caller?) {
    self.places = places
    self.caller = caller
    long = FairQueue(capacity: places)
  }

  /// Whether nothing waits.
  var isIdle: Bool {
    precondition(
      isScheduled || short.isEmpty && long.isEmpty && last.isEmpty,
      "what waits has a round that is about to come")
    return !isScheduled
  }

  /// Takes a short write; true: a round has to be taken soon.
  mutating func submitShort(_ job: Job) throws(SharingError) -> Bool {
    if short.count >= places / 2, let caller = caller(job) { try takePlace(for: caller) }
    short.append(job)
    return schedule()
  }

  /// Takes a long write; true: a round has to be taken soon.
  mutating func submitLong(_ job: Job, for caller: Caller) throws(SharingError) -> Bool {
    try long.append(job, for: caller)
    return schedule()
  }

  /// Takes a job that is done when no other waits any more; true: a round has to be taken soon.
  mutating func submitLast(_ job: Job) -> Bool {
    last.append(job)
    return schedule()
  }

  /// Removes and returns what is performed next. Another round has to be taken when it is done and has a successor.
  mutating func takeRound(isOverdue: (Job) -> Bool = { _ in false }) -> Round {
    var round = Round()
    swap(&round.short, &short)
    holdings = nil
    if !long.isEmpty {
      round.overdue = long.removeOldest(while: isOverdue)
      round.long = long.popFirst()
    }
    precondition(isScheduled, "a round is taken where one is due")
    round.hasSuccessor = !long.isEmpty
    if !round.hasSuccessor { swap(&round.last, &last) }
    isScheduled = round.hasSuccessor
    return round
  }

  /// Counts the nanoseconds that a long write of the caller has taken.
  mutating func finish(_ caller: Caller, after time: UInt64) { long.charge(max(time, 1), to: caller) }

  private mutating func schedule() -> Bool {
    defer { isScheduled = true }
    return !isScheduled
  }

  private mutating func takePlace(for caller: Caller) throws(SharingError) {
    if holdings == nil {
      var counted = Holdings(capacity: places)
      // There is room for each of them: they are not more than half of the places.
      for job in short.prefix(places / 2) {
        guard let caller = self.caller(job) else { continue }
        do throws(SharingError) { try counted.take(1, for: caller) } catch {
          preconditionFailure("there is room for half of what has room")
        }
      }
      holdings = counted
    }
    try holdings?.take(1, for: caller)
  }
}
