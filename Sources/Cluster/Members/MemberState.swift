/// A node's part in the cluster, as a value: it is told what has happened, and says what to do next.
///
/// ```
///            follow                  same entry in the log
///  start ─────────────▶ checking ───────────────────────────▶ following ◀───────────┐
///                          │                                  │   ▲  │              │ refused, in doubt
///                          │ entries are gone                 │   │  │ silence      │
///                          ▼                                  │   │  ▼              │
///                       snapshot ◀────────────────────────────┘   │ taking over ────┘
///                                                          follow │  │ appended
///                                                                 │  ▼
///                                                  deposed ◀──── leading ────▶ resigned (follows, and never leads again)
/// ```
///
/// Any of them stops for a ``StopReason``.
///
/// Invariants:
///
/// 1. An entry is appended only behind the node's own last one. So an entry of a leader that others have replaced is refused, whatever
///    the clocks say.
/// 2. The lease counts from when the append was sent that was acknowledged last. A follower counts from when it read that entry, which
///    is later, and waits a quarter longer. An append to take over behind an entry that the follower had not read is refused. So leases
///    of two leaders do not overlap while clocks run at rates that differ by less than a quarter.
/// 3. A leader that does not know whether its append was written follows, and takes from the log what there is.
/// 4. Nothing is appended while an append is under way.
public struct MemberState: Sendable {
  private enum Role: Hashable {
    /// The store is to follow from where it stands.
    case unloaded(leader: String?)
    /// The log is to have the store's last entry.
    case checking
    case following
    case takingOver(Sent)
    case leading(Leadership)
    case lacking(first: UInt64)
    case stopped(StopReason)
  }

  private enum Resignation {
    case none
    /// Another node is to lead; where none does, this one does again.
    case untilAnotherLeads
    case forGood
  }

  /// An append under way.
  private struct Sent: Hashable {
    let point: LogPoint
    let expected: UInt64
    let time: UInt64
    /// The version after it.
    let version: Int64
  }

  private struct Leadership: Hashable {
    let author: EntryAuthor
    /// When the append was sent that was acknowledged last; nil: the node has given up its lease.
    var leaseStart: UInt64?
    var lastSent: UInt64
    var sent: Sent?
  }

  private let node: String
  private let times: MemberTimes
  /// Told to no two nodes alike, so that they do not all attempt to lead at once.
  private let stagger: UInt64
  /// The part of identities that no other run of any node has.
  private let run: String
  private var count: UInt64 = 0

  private var role: Role = .unloaded(leader: nil)
  private var verifier = EntryVerifier(StorePoint(log: .start, version: 0))
  private var queue: [MemberAction] = []
  /// When the last entry came, or the node began to follow.
  private(set) var heardAt: UInt64 = 0
  private var freshness = Freshness()
  /// When the log has answered last; nil: it has not been asked yet.
  private(set) var answeredAt: UInt64?
  /// The earliest time of the next attempt to read or to lead.
  private var retryAt: UInt64 = 0
  /// Whether the last page ended where the log does.
  public private(set) var isAtEnd = false
  /// The last entry of the log that the node has heard of.
  private var lastPosition: UInt64 = 0
  /// Since when the log has ended before the node's last entry.
  private var aheadSince: UInt64?
  private var resignation = Resignation.none
  /// The position that the store was told of last, or has itself.
  private var notedPosition: UInt64 = 0
  /// The entries after which a store keeps its place: some minutes of renewals.
  var noteDistance: UInt64 = 1_000
  /// Whether a node with an empty store begins an empty log without waiting for one that may have objects.
  var beginsAtOnce = false
  /// Until when the node attempts to lead before all others once nobody does.
  private var candidacyEnd: UInt64 = 0
  /// The epoch in which this run of the node has led last.
  private var ledEpoch: UInt64?

  /// - Parameters:
  ///   - run: Text of letters and digits that no other run of this node has.
  ///   - stagger: How much longer than it has to the node waits before it attempts to lead.
  public init(node: NodeName, times: MemberTimes, run: String, stagger: Duration) {
    self.node = node.text
    self.times = times
    self.run = run
    self.stagger = stagger.nanoseconds
  }

  /// Whether the node is to stop to lead as soon as it can, and does not lead again for now.
  var isResigning: Bool { resignation != .none }

  // Questions

  /// The last entry that the node has read or written.
  public var point: LogPoint { verifier.point }

  /// The reason why it has stopped.
  public var stopReason: StopReason? {
    if case .stopped(let reason) = role { reason } else { nil }
  }

  /// The node that leads, as far as this one knows.
  public var leader: String? {
    switch role {
    case .leading: node
    case .following, .takingOver: verifier.leader == node ? nil : verifier.leader
    case .unloaded(let leader): leader
    case .checking, .lacking, .stopped: nil
    }
  }

  /// The epoch in which the node leads; nil: it does not.
  public var leadingEpoch: UInt64? {
    if case .leading(let leadership) = role { leadership.author.epoch } else { nil }
  }

  /// Whether nobody else can have made a commit, so that a read here sees all that were acknowledged.
  public func hasLease(at now: UInt64) -> Bool {
    leaseStart.map { now < $0 + times.lease.nanoseconds } ?? false
  }

  /// When the node has led for certain last; nil: it does not lead, or is about to stop.
  var leaseStart: UInt64? {
    if case .leading(let leadership) = role { leadership.leaseStart } else { nil }
  }

  /// The entries that the log has and the node has not read, as far as it knows.
  public var entriesBehind: UInt64 { lastPosition - min(lastPosition, point.position) }

  /// Whether the store is young enough for readers, beside the log.
  public func isFresh(at now: UInt64) -> Bool {
    switch role {
    case .following, .takingOver: freshness.time.map { now < $0 + times.freshness.nanoseconds } ?? false
    case .leading(let leadership):
      now < (leadership.leaseStart ?? 0) + times.freshness.nanoseconds
    case .unloaded, .checking, .lacking, .stopped: false
    }
  }

  // The next step

  /// Returns what to do now.
  public mutating func next(at now: UInt64) -> MemberAction {
    if !queue.isEmpty { return queue.removeFirst() }
    freshness.didApply()
    if let point = takeNote() { return .note(point, whileLeading: leadingEpoch != nil) }
    switch role {
    case .stopped(let reason): return .stop(reason)
    case .unloaded(let leader):
      guard now >= retryAt else { return .wait(.nanoseconds(retryAt - now)) }
      return .follow(leader: leader)
    case .checking:
      guard now >= retryAt else { return .wait(.nanoseconds(retryAt - now)) }
      precondition(point.position > 0, "only a store that has an entry is compared with the log")
      return .read(after: point.position - 1, patience: .zero)
    case .lacking(let first):
      guard now >= retryAt else { return .wait(.nanoseconds(retryAt - now)) }
      return .fetchSnapshot(atLeast: first - 1)
    case .following: return nextFollowing(at: now)
    case .takingOver: return .wait(times.renewal)
    case .leading(let leadership): return nextLeading(leadership, at: now)
    }
  }

  /// Returns the place that the store is to keep, where it is far behind: it would read all entries since then when it starts, and the
  /// first of them may have left the log.
  private mutating func takeNote() -> LogPoint? {
    switch role {
    case .following: break
    case .leading(let leadership): if leadership.sent != nil { return nil }
    case .unloaded, .checking, .takingOver, .lacking, .stopped: return nil
    }
    precondition(point.position >= notedPosition, "a node never goes back behind what its store has kept")
    guard point.position - notedPosition >= noteDistance else { return nil }
    notedPosition = point.position
    return point
  }

  private mutating func nextFollowing(at now: UInt64) -> MemberAction {
    guard now >= retryAt else { return .wait(.nanoseconds(retryAt - now)) }
    if resignation == .untilAnotherLeads, isAtEnd, now >= heardAt + times.silence { resignation = .none }
    let deadline = takeoverTime(now < candidacyEnd ? 0 : stagger)
    if isAtEnd, !isResigning, now >= deadline { return takeOver(at: now) }
    let patience =
      now < deadline ? min(deadline - now, times.renewal.nanoseconds) : times.renewal.nanoseconds
    return .read(after: point.position, patience: isAtEnd ? .nanoseconds(patience) : .zero)
  }

  /// When the node attempts to lead unless it hears of somebody who does.
  private func takeoverTime(_ stagger: UInt64) -> UInt64 {
    // Nobody leads in an empty log: the node that has objects begins it.
    if point.position == 0 {
      if verifier.version > 0 { return heardAt }
      return heardAt + (beginsAtOnce ? 0 : times.silence) + stagger
    }
    // A leader that has resigned has no lease: two nodes that attempt to lead at once cost an append, and all wait for one of them.
    if verifier.hasResigned { return heardAt + stagger / 16 }
    // This node has no lease either where it was the last one to lead.
    if ledEpoch == point.epoch { return heardAt + stagger }
    return heardAt + times.silence + stagger
  }

  private mutating func takeOver(at now: UInt64) -> MemberAction {
    let author = EntryAuthor(node: node, epoch: point.epoch + 1)
    let entry = Entry(.takeover, by: author, on: verifier.version, after: point.hash)
    let (request, sent) = request(entry, at: now)
    role = .takingOver(sent)
    return .append(request)
  }

  private mutating func nextLeading(_ leadership: Leadership, at now: UInt64) -> MemberAction {
    guard leadership.sent == nil else { return .wait(times.renewal) }
    var leadership = leadership
    let due = leadership.lastSent + times.renewal.nanoseconds
    guard isResigning || now >= due else { return .wait(.nanoseconds(due - now)) }
    // From here on nobody may be told that nobody else leads.
    if isResigning { leadership.leaseStart = nil }
    let entry = Entry(
      isResigning ? .resignation : .renewal, by: leadership.author, on: verifier.version,
      after: point.hash)
    return .append(send(entry, by: &leadership, at: now))
  }

  private mutating func send(
    _ entry: Entry, by leadership: inout Leadership, at now: UInt64
  ) -> AppendRequest {
    precondition(leadership.sent == nil, "nothing is appended while an append is under way")
    let (request, sent) = request(entry, at: now)
    leadership.sent = sent
    leadership.lastSent = now
    role = .leading(leadership)
    return request
  }

  private mutating func request(_ entry: Entry, at now: UInt64) -> (AppendRequest, Sent) {
    let (bytes, hash) = entry.encoded()
    count += 1
    let expected = point.position
    let sent = Sent(
      point: LogPoint(position: expected + 1, hash: hash, epoch: entry.epoch), expected: expected,
      time: now,
      version: entry.versions.upperBound - 1)
    return (
      AppendRequest(bytes: bytes, expected: expected, identity: "\(node).\(run).\(count)"), sent
    )
  }

  // Outcomes

  /// The store follows, from there.
  public mutating func didFollow(from start: StorePoint, at now: UInt64) {
    guard stopReason == nil else { return }
    precondition(leadingEpoch == nil, "who leads does not begin to follow before it is deposed")
    precondition(
      start.version >= 0 && (start.log.position > 0) == (start.log.epoch > 0), "an entry has an epoch")
    verifier = EntryVerifier(start)
    (heardAt, retryAt, isAtEnd, aheadSince, answeredAt) = (now, 0, false, nil, answeredAt ?? now)
    notedPosition = start.log.position
    freshness.restart()
    role = start.log.position == 0 ? .following : .checking
  }

  public mutating func didFailToRead(at now: UInt64) {
    retryAt = now + times.retry.nanoseconds
  }

  /// The store could not take rows that may fit another time, as on a full disk: it follows from where it stands, after a moment.
  public mutating func didFailToApply(at now: UInt64) {
    guard stopReason == nil, leadingEpoch == nil else { return }
    retryAt = now + times.retry.nanoseconds
    depose()
  }

  public mutating func didRead(_ page: LogPage, at now: UInt64) {
    answeredAt = now
    do throws(StopReason) {
      switch role {
      case .checking: try check(page, at: now)
      case .following: try follow(page, at: now)
      case .unloaded, .takingOver, .leading, .lacking, .stopped: break
      }
    } catch { stop(error) }
  }

  /// Compares the node's last entry with the log's.
  private mutating func check(_ page: LogPage, at now: UInt64) throws(StopReason) {
    let position = point.position
    if page.first > position {
      // The entry behind it, if there is one, holds the hash.
      role = page.first == position + 1 ? .following : .lacking(first: page.first)
      return
    }
    guard let item = page.items.first else {
      didFailToRead(at: now)
      return try noteEnd(page.last, at: now)
    }
    guard item.position == position, let (_, hash) = try? Entry.decode(item.bytes),
      hash == point.hash
    else {
      throw .otherChain(position: position)
    }
    aheadSince = nil
    role = .following
  }

  private mutating func follow(_ page: LogPage, at now: UInt64) throws(StopReason) {
    if page.last > 0, point.position == 0 {
      guard verifier.version == 0 else { throw .foreignStore(version: verifier.version) }
    }
    if page.first > point.position + 1 {
      role = .lacking(first: page.first)
      return
    }
    try noteEnd(page.last, at: now)
    lastPosition = page.last
    let leader = self.leader
    for item in page.items {
      if point.position == 0, item.position == 1, let (entry, _) = try? Entry.decode(item.bytes),
        entry.versions.lowerBound > 1
      {
        // The first leader's store had objects before there was a log.
        role = .lacking(first: item.position + 1)
        return
      }
      if let rows = try verifier.read(item) { queue.append(.apply(rows)) }
      heardAt = now
    }
    if resignation == .untilAnotherLeads, let leader = verifier.leader, leader != node { resignation = .none }
    isAtEnd = point.position >= page.last
    freshness.didRead(page, to: point.position, at: now)
    if self.leader != leader { queue.append(.changeLeader(self.leader)) }
  }

  /// Takes note of where a server says that the log ends.
  private mutating func noteEnd(_ last: UInt64, at now: UInt64) throws(StopReason) {
    guard last < point.position else {
      aheadSince = nil
      return
    }
    let since = aheadSince ?? now
    aheadSince = since
    if now >= since + times.certainty.nanoseconds {
      throw .aheadOfLog(own: point.position, last: last)
    }
  }

  public mutating func didAppend(_ outcome: AppendOutcome, at now: UInt64) {
    if outcome.isAnswer { answeredAt = now }
    switch role {
    case .takingOver(let sent): didAppendTakeover(outcome, sent, at: now)
    case .leading(let leadership):
      if let sent = leadership.sent { didAppend(outcome, of: sent, by: leadership, at: now) }
    case .unloaded, .checking, .following, .lacking, .stopped: break
    }
  }

  private mutating func didAppendTakeover(_ outcome: AppendOutcome, _ sent: Sent, at now: UInt64) {
    switch outcome {
    case .appended(sent.point.position):
      checkOrder(of: sent)
      verifier = EntryVerifier(StorePoint(log: sent.point, version: verifier.version))
      let author = EntryAuthor(node: node, epoch: sent.point.epoch)
      role = .leading(Leadership(author: author, leaseStart: sent.time, lastSent: sent.time))
      freshness.didLead(at: sent.time)
      ledEpoch = author.epoch
      queue.append(.lead(epoch: author.epoch))
    case .appended(let position):
      stop(.misplacedEntry(expected: sent.point.position, found: position))
    case .refused(let current):
      followAgain(at: now)
      do throws(StopReason) { try noteEnd(current, at: now) } catch { stop(error) }
    case .inDoubt, .unavailable: followAgain(at: now)
    }
  }

  private mutating func followAgain(at now: UInt64) {
    role = .following
    isAtEnd = false
    retryAt = now + times.retry.nanoseconds + stagger
  }

  private mutating func didAppend(
    _ outcome: AppendOutcome, of sent: Sent, by leadership: Leadership, at now: UInt64
  ) {
    var leadership = leadership
    leadership.sent = nil
    switch outcome {
    case .appended(sent.point.position):
      checkOrder(of: sent)
      verifier = EntryVerifier(StorePoint(log: sent.point, version: sent.version))
      if let start = leadership.leaseStart {
        precondition(sent.time >= start, "a lease is renewed by what was sent later")
        leadership.leaseStart = sent.time
      }
      freshness.didLead(at: sent.time)
      role = .leading(leadership)
      if isResigning, leadership.leaseStart == nil { depose() }
    case .appended(let position):
      stop(.misplacedEntry(expected: sent.point.position, found: position))
    case .refused, .inDoubt: depose()
    case .unavailable:
      role = .leading(leadership)
      let start = leadership.leaseStart ?? 0
      if now >= start + times.appendLimit.nanoseconds { depose() }
    }
  }

  private func checkOrder(of sent: Sent) {
    precondition(sent.expected == point.position, "entries are appended only behind the node's own last one")
    precondition(sent.version >= verifier.version, "versions never go back")
  }

  /// Has the node follow, from where its store stands: entries that are in the log although nobody knew are there, too.
  private mutating func depose() {
    precondition(stopReason == nil, "what has stopped does not begin anew")
    queue = []
    role = .unloaded(leader: nil)
  }

  /// Has the node stop.
  public mutating func stop(_ reason: StopReason) {
    guard stopReason == nil else { return }
    queue = []
    role = .stopped(reason)
  }

  /// Has the node stop to lead as soon as it can, and never lead again.
  public mutating func resign() { resignation = .forGood }

  /// Has the node stop to lead, if it does, as soon as it can; where no other node leads within the silence, it does again.
  public mutating func stepDown() {
    if leadingEpoch != nil, resignation == .none { resignation = .untilAnotherLeads }
  }

  /// Has the node attempt to lead before all others where nobody does, for ten seconds.
  public mutating func stand(at now: UInt64) {
    candidacyEnd = now + 10_000_000_000
    if resignation == .untilAnotherLeads { resignation = .none }
  }

  /// Whether the node has been asked to resign, and does not lead.
  public var hasResigned: Bool { isResigning && leadingEpoch == nil }

  // Commits of the leader's store

  /// An answer to a store that wants to append.
  public enum AppendPermission: Hashable, Sendable {
    /// The outcome is told by ``MemberState/didAppend(_:at:)``.
    case granted(AppendRequest)
    /// Another entry is under way.
    case busy
    case notLeading
  }

  /// Returns the entry of a part of a commit's rows, ``Entry/rowLimit`` bytes at most.
  ///
  /// A store that gives a commit up after some of its parts begins the next one with a first part.
  ///
  /// - Parameter versions: Those that the commit makes, beginning behind the store's; empty in all parts but the last.
  public mutating func append(
    _ rows: [UInt8], part: Entry.Part, versions: Range<Int64>, at now: UInt64
  ) -> AppendPermission {
    guard case .leading(var leadership) = role, !isResigning else { return .notLeading }
    // The store has to be told first that it leads.
    guard leadership.sent == nil, queue.isEmpty else { return .busy }
    precondition(versions.lowerBound == verifier.version + 1, "versions follow each other")
    precondition(part.isLast || versions.isEmpty, "the last part makes the versions")
    let entry = Entry(
      rows: rows, part: part, versions: versions, by: leadership.author, after: point.hash)
    return .granted(send(entry, by: &leadership, at: now))
  }

  /// Has the leader follow: its store could not commit what is in the log, or cannot lead. It leads again only where nobody else does.
  public mutating func didFailToCommit() {
    guard leadingEpoch != nil else { return }
    ledEpoch = nil
    depose()
  }
}
