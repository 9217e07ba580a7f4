/// How old what a follower's store has may be, by what it has read of the log.
struct Freshness {
  /// A time at which the log had nothing that the store does not have by now; nil: the store has not come to the end of the log yet.
  private(set) var time: UInt64?
  /// Where the log ended at a time, which the node has not read up to yet.
  private var end: (position: UInt64, time: UInt64)?
  /// The ``time`` once everything that was read is applied.
  private var pending: UInt64?

  /// The node has read a page, up to a position.
  mutating func didRead(_ page: LogPage, to position: UInt64, at now: UInt64) {
    // A server that others have replaced says where its log ends as well, but has no new entries.
    guard !page.items.isEmpty else { return }
    let known = end ?? (page.last, now)
    guard position >= known.position else {
      end = known
      return
    }
    precondition(known.time <= now, "the log has ended there before")
    pending = known.time
    end = position < page.last ? (page.last, now) : nil
  }

  /// The store has all that was read.
  mutating func didApply() {
    time = pending ?? time
    pending = nil
  }

  /// The node has led at that time, when nobody else could.
  mutating func didLead(at time: UInt64) { self.time = time }

  /// The node begins to read behind what its store has.
  mutating func restart() { (end, pending) = (nil, nil) }
}
