import Testing

@testable import GatehouseCluster

/// Single steps of a node, each with its exact outcome.
final class MemberStateTests {
  private static let second: UInt64 = 1_000_000_000
  private let times = MemberTimes()
  private var stream = EntryStream()
  private var now: UInt64 = 1_000 * second

  private func node(_ name: String, from start: StorePoint = .init(log: .start, version: 0))
    -> MemberState
  {
    // The name is a word.
    var state = MemberState(node: NodeName(name)!, times: times, run: "r", stagger: .zero)
    _ = state.next(at: now)
    state.didFollow(from: start, at: now)
    return state
  }

  /// Performs the next step of a node against the stream, and returns it.
  private func step(_ state: inout MemberState) -> MemberAction {
    let action = state.next(at: now)
    switch action {
    case .read(let position, _): state.didRead(stream.page(after: position), at: now)
    case .append(let request):
      state.didAppend(
        stream.append(request.bytes, expecting: request.expected, identity: request.identity),
        at: now)
    case .apply, .follow, .changeLeader, .lead, .fetchSnapshot, .note, .wait, .stop: break
    }
    return action
  }

  /// Lets a node take over, and returns it.
  private func leader(_ name: String) -> MemberState {
    var state = node(name)
    _ = step(&state)
    now += 4 * MemberStateTests.second
    _ = step(&state)
    #expect(step(&state) == .lead(epoch: state.point.epoch))
    return state
  }

  private func commit(_ rows: String, by state: inout MemberState) -> AppendOutcome? {
    guard case .granted(let request) = append(rows, by: &state) else { return nil }
    let outcome = stream.append(
      request.bytes, expecting: request.expected, identity: request.identity)
    state.didAppend(outcome, at: now)
    return outcome
  }

  /// Begins to append the rows of a commit.
  private func append(_ rows: String, by state: inout MemberState) -> MemberState.AppendPermission {
    let version = self.version(of: state)
    return state.append(
      Array(rows.utf8), part: .whole, versions: (version + 1)..<(version + 2), at: now)
  }

  /// The version by the last entry of the stream.
  private func version(of state: MemberState) -> Int64 {
    let last = stream.entries.last.flatMap { try? Entry.decode($0.bytes).entry }
    return last.map { $0.versions.upperBound - 1 } ?? 0
  }

  @Test func `a node reads first, waits for somebody who leads, and leads then`() {
    var state = node("a")
    #expect(step(&state) == .read(after: 0, patience: .zero))
    #expect(step(&state) == .read(after: 0, patience: .milliseconds(400)))
    now += 3 * MemberStateTests.second
    #expect(step(&state) == .read(after: 0, patience: .milliseconds(125)))
    now += MemberStateTests.second / 8
    guard case .append(let request) = step(&state) else {
      Issue.record("no append")
      return
    }
    #expect(request.expected == 0 && request.identity == "a.r.1")
    #expect(state.hasLease(at: now) && state.leader == "a")
    #expect(step(&state) == .lead(epoch: 1))
    #expect(step(&state) == .wait(.milliseconds(400)))
  }

  @Test func `a node knows for how long the log has not answered, whatever its part`() {
    var state = leader("a")
    let since = now
    #expect(state.logSilence(at: now) == 0)
    now += MemberStateTests.second
    guard case .append = state.next(at: now) else {
      Issue.record("no append")
      return
    }
    now += 4 * MemberStateTests.second
    state.didAppend(.inDoubt, at: now)
    #expect(state.next(at: now) == .follow(leader: nil))
    state.didFollow(from: StorePoint(log: state.point, version: 0), at: now)
    state.didFailToRead(at: now)
    #expect(state.logSilence(at: now) == now - since && !state.isFresh(at: now))
    now += MemberStateTests.second
    _ = step(&state)
    #expect(state.logSilence(at: now) == 0)
  }

  @Test func `a node whose store has objects begins an empty log at once`() {
    var state = node("a", from: StorePoint(log: .start, version: 5))
    _ = step(&state)
    _ = step(&state)
    #expect(state.leadingEpoch == 1)
    #expect(try! Entry.decode(stream.entries[0].bytes).entry.versions == 6..<6)  // It was encoded here.
  }

  @Test func `a node that is new takes a snapshot where the log began with objects`() {
    var first = node("a", from: StorePoint(log: .start, version: 5))
    _ = step(&first)
    _ = step(&first)
    var second = node("b")
    _ = step(&second)
    #expect(step(&second) == .fetchSnapshot(atLeast: 1))
  }

  @Test func `a node with objects from elsewhere stops`() {
    _ = leader("a")
    var other = node("b", from: StorePoint(log: .start, version: 3))
    _ = step(&other)
    #expect(other.stopReason == .foreignStore(version: 3))
    #expect(step(&other) == .stop(.foreignStore(version: 3)))
  }

  @Test func `a leader renews, and its lease ends when it cannot`() {
    var state = leader("a")
    now += 400_000_000
    guard case .append = step(&state) else {
      Issue.record("no renewal")
      return
    }
    let end = now + times.lease.nanoseconds
    #expect(state.hasLease(at: end - 1) && !state.hasLease(at: end))
    now += 400_000_000
    for _ in 0..<2 {
      guard case .append = state.next(at: now) else {
        Issue.record("no renewal")
        return
      }
      state.didAppend(.unavailable, at: now)
      #expect(state.leadingEpoch == 1)
      now += 500_000_000
    }
    now = end + 2 * MemberStateTests.second
    _ = state.next(at: now)
    state.didAppend(.unavailable, at: now)
    #expect(state.leadingEpoch == nil && step(&state) == .follow(leader: nil))
  }

  @Test(arguments: [AppendOutcome.refused(current: 9), .inDoubt])
  func `a leader that was replaced, or does not know, follows`(outcome: AppendOutcome) {
    var state = leader("a")
    guard case .granted = append("x", by: &state) else {
      Issue.record("not granted")
      return
    }
    state.didAppend(outcome, at: now)
    #expect(state.leadingEpoch == nil && !state.hasLease(at: now))
    #expect(append("x", by: &state) == .notLeading)
    #expect(step(&state) == .follow(leader: nil))
  }

  @Test func `a commit and a renewal are never under way together`() {
    var state = leader("a")
    guard case .granted = append("x", by: &state) else {
      Issue.record("not granted")
      return
    }
    now += MemberStateTests.second
    #expect(step(&state) == .wait(.milliseconds(400)))
    state.didAppend(.unavailable, at: now)
    now += MemberStateTests.second / 2
    guard case .append = state.next(at: now) else {
      Issue.record("no renewal")
      return
    }
    #expect(append("x", by: &state) == .busy)
    state.didAppend(.unavailable, at: now)
    guard case .granted = append("x", by: &state) else {
      Issue.record("not granted")
      return
    }
  }

  @Test func `parts come one by one, and one that does not follow stops a node`() throws {
    var first = leader("a")
    func add(_ number: UInt32, _ isLast: Bool) throws {
      let versions: Range<Int64> = isLast ? 1..<2 : 1..<1
      let part = Entry.Part(number, isLast: isLast)
      guard
        case .granted(let request) = first.append(
          [UInt8(number)], part: part, versions: versions, at: now)
      else { throw LogError.unavailable }
      first.didAppend(
        stream.append(request.bytes, expecting: request.expected, identity: request.identity),
        at: now)
    }
    // One that was given up, one with a renewal in the middle.
    try add(0, false)
    try add(1, false)
    try add(0, false)
    now += 400_000_000
    _ = step(&first)
    try add(1, true)
    var state = node("b")
    var parts: [Entry.Part] = []
    _ = step(&state)
    while case .apply(let rows) = step(&state) { parts.append(rows.part) }
    #expect(
      parts.map(\.number) == [0, 1, 0, 1] && parts.map(\.isLast) == [false, false, false, true])
    #expect(state.stopReason == nil)
    let entry = Entry(
      rows: [], part: .init(1, isLast: false), versions: 2..<2,
      by: EntryAuthor(node: "a", epoch: 1),
      after: first.point.hash)
    let position = stream.last + 1
    _ = stream.append(entry.encoded().bytes, expecting: stream.last, identity: "x")
    for _ in 0..<3 { _ = step(&state) }
    #expect(state.stopReason == .otherPart(position: position, found: 1))
  }

  @Test
  func `a follower applies commits, knows the leader, and does not lead while it hears of one`() {
    var first = leader("a")
    #expect(commit("one", by: &first) == .appended(2))
    var second = node("b")
    _ = step(&second)
    guard case .apply(let rows) = step(&second) else {
      Issue.record("nothing to apply")
      return
    }
    #expect(
      rows == EntryRows(rows: Array("one".utf8), part: .whole, versions: 1..<2, point: first.point))
    #expect(step(&second) == .changeLeader("a"))
    _ = step(&second)
    #expect(second.leader == "a" && second.isFresh(at: now) && !second.hasLease(at: now))
    for _ in 0..<20 {
      now += 400_000_000
      _ = step(&first)
      _ = step(&second)
      #expect(second.leadingEpoch == nil)
    }
    #expect(!second.isFresh(at: now + 5 * MemberStateTests.second))
  }

  @Test func `a leader that steps down leads again where nobody else does`() {
    var first = leader("a")
    first.stepDown()
    guard case .append = step(&first) else {
      Issue.record("no resignation")
      return
    }
    #expect(first.leadingEpoch == nil && append("x", by: &first) == .notLeading)
    // Others have the time of a silence.
    first.didFollow(from: StorePoint(log: first.point, version: 0), at: now)
    for _ in 0..<4 { _ = step(&first) }
    #expect(first.leadingEpoch == nil)
    now += 4 * MemberStateTests.second
    for _ in 0..<3 { _ = step(&first) }
    #expect(first.leadingEpoch == 2)
    first.stepDown()
    _ = step(&first)
    _ = step(&first)
    #expect(first.leadingEpoch == nil)
  }

  @Test func `a node that stands leads before others, and one whose log is new does not wait for it`() {
    func follower(_ name: String, stagger: Duration) -> MemberState {
      var state = MemberState(node: NodeName(name)!, times: times, run: "r", stagger: stagger)
      state.beginsAtOnce = true
      _ = state.next(at: now)
      state.didFollow(from: StorePoint(log: .start, version: 0), at: now)
      return state
    }
    var first = follower("a", stagger: .zero)
    _ = step(&first)
    guard case .append = step(&first) else {
      Issue.record("no takeover")
      return
    }
    _ = step(&first)
    var second = follower("b", stagger: .milliseconds(200))
    _ = step(&second)
    second.stand(at: now)
    first.stepDown()
    _ = step(&first)
    for _ in 0..<5 { _ = step(&second) }
    #expect(second.leadingEpoch == 2)
  }

  @Test func `nodes let each other go first for a moment only where the leader has resigned`() {
    var first = leader("a")
    var second = MemberState(
      node: NodeName("b")!, times: times, run: "r", stagger: .nanoseconds(16 * MemberStateTests.second))
    _ = second.next(at: now)
    second.didFollow(from: StorePoint(log: .start, version: 0), at: now)
    _ = step(&second)
    first.resign()
    _ = step(&first)
    for _ in 0..<4 { _ = step(&second) }
    now += MemberStateTests.second - 1
    for _ in 0..<3 { _ = step(&second) }
    #expect(second.leadingEpoch == nil)
    now += 1
    for _ in 0..<3 { _ = step(&second) }
    #expect(second.leadingEpoch == 2)
  }

  @Test func `a leader that resigns is replaced without a wait`() {
    var first = leader("a")
    var second = node("b")
    _ = step(&second)
    first.resign()
    #expect(append("x", by: &first) == .notLeading)
    guard case .append(let request) = first.next(at: now) else {
      Issue.record("no resignation")
      return
    }
    #expect(!first.hasLease(at: now))
    first.didAppend(
      stream.append(request.bytes, expecting: request.expected, identity: request.identity), at: now
    )
    #expect(first.hasResigned)
    #expect(step(&second) == .changeLeader("a"))
    _ = step(&second)
    #expect(step(&second) == .changeLeader(nil))
    _ = step(&second)
    #expect(second.leadingEpoch == 2)
    // It follows, and does not lead again.
    _ = step(&first)
    first.didFollow(from: StorePoint(log: .start, version: 0), at: now)
    now += 60 * MemberStateTests.second
    for _ in 0..<5 { _ = step(&first) }
    #expect(first.leader == "b" && first.leadingEpoch == nil)
  }

  @Test func `a node ahead of the log stops when that has been certain for a while`() {
    let first = leader("a")
    let ahead = LogPoint(position: 9, hash: first.point.hash, epoch: 1)
    var state = node("b", from: StorePoint(log: ahead, version: 4))
    #expect(step(&state) == .read(after: 8, patience: .zero))
    #expect(state.stopReason == nil)
    now += 14 * MemberStateTests.second
    _ = step(&state)
    #expect(state.stopReason == nil)
    now += MemberStateTests.second
    _ = step(&state)
    #expect(state.stopReason == .aheadOfLog(own: 9, last: 1))
  }

  @Test func `a server that is late does not stop a node`() {
    var first = leader("a")
    _ = commit("one", by: &first)
    var state = node("b", from: StorePoint(log: first.point, version: 1))
    _ = state.next(at: now)
    state.didRead(LogPage([], first: 1, last: 1), at: now)
    now += 10 * MemberStateTests.second
    _ = step(&state)
    now += 10 * MemberStateTests.second
    state.didRead(LogPage([], first: 1, last: 1), at: now)
    #expect(state.stopReason == nil)
  }

  @Test func `a node whose last entry is another one in the log stops`() {
    var first = leader("a")
    _ = commit("one", by: &first)
    let other = LogPoint(position: 2, hash: EntryHash(hashing: [1]), epoch: 1)
    var state = node("b", from: StorePoint(log: other, version: 1))
    _ = step(&state)
    #expect(state.stopReason == .otherChain(position: 2))
  }

  @Test func `a node that lacks what has left the log takes a snapshot`() {
    var first = leader("a")
    for index in 0..<5 { _ = commit("\(index)", by: &first) }
    stream.trim(through: 4)
    var state = node("b")
    _ = step(&state)
    #expect(step(&state) == .fetchSnapshot(atLeast: 4))
    state.didFailToRead(at: now)
    #expect(step(&state) == .wait(.milliseconds(200)))
    now += 200_000_000
    #expect(step(&state) == .fetchSnapshot(atLeast: 4))
    // Its last entry has left the log, and the next one holds its hash.
    let hash = try! Entry.decode(stream.entries[0].bytes).entry.previous  // It was encoded here.
    state.didFollow(
      from: StorePoint(log: LogPoint(position: 4, hash: hash, epoch: 1), version: 3), at: now)
    _ = step(&state)
    _ = step(&state)
    guard case .apply(let rows) = step(&state) else {
      Issue.record("nothing to apply")
      return
    }
    #expect(rows.point.position == 5 && state.stopReason == nil)
  }

  @Test func `an entry that does not belong there stops a node before it is applied`() {
    var first = leader("a")
    _ = commit("one", by: &first)
    let (point, good) = (first.point, stream)
    func reason(_ entry: Entry, of stream: EntryStream) -> StopReason? {
      var stream = stream
      _ = stream.append(entry.encoded().bytes, expecting: 2, identity: "x")
      var state = node("b")
      _ = state.next(at: now)
      state.didRead(stream.page(after: 0), at: now)
      return state.stopReason
    }
    func entry(_ node: String, _ epoch: UInt64, _ version: Int64, _ previous: EntryHash) -> Entry {
      Entry(.renewal, by: EntryAuthor(node: node, epoch: epoch), on: version, after: previous)
    }
    #expect(reason(entry("a", 1, 1, point.hash), of: good) == nil)
    #expect(reason(entry("a", 1, 1, .none), of: good) == .otherChain(position: 3))
    #expect(
      reason(entry("c", 1, 1, point.hash), of: good)
        == .brokenFence(position: 3, epoch: 1, node: "c"))
    #expect(
      reason(entry("a", 2, 1, point.hash), of: good)
        == .brokenFence(position: 3, epoch: 2, node: "a"))
    #expect(
      reason(entry("a", 1, 7, point.hash), of: good) == .otherVersion(position: 3, found: 7, own: 1)
    )
    let takeover = Entry(.takeover, by: EntryAuthor(node: "c", epoch: 3), on: 1, after: point.hash)
    #expect(reason(takeover, of: good) == .brokenFence(position: 3, epoch: 3, node: "c"))
    var damaged = good
    damaged.damage(2, at: 70)
    #expect(
      reason(entry("a", 1, 1, point.hash), of: damaged) == .malformedEntry(position: 2, .damaged))
    // A later release writes what this one would not understand.
    for (offset, error, text) in [
      (0, .unknownFormat(2), "Its format is 2, and this release knows 1."),
      (1, .unknownKind(9), "It is of kind 9, which this release does not know."),
    ] as [(Int, EntryError, String)] {
      var bytes = Array(entry("a", 1, 1, point.hash).encoded().bytes.dropLast(EntryHash.size))
      bytes[offset] = offset == 0 ? 2 : 9
      var later = good
      _ = later.append(bytes + EntryHash(hashing: bytes).bytes, expecting: 2, identity: "x")
      var state = node("b")
      _ = state.next(at: now)
      state.didRead(later.page(after: 0), at: now)
      let reason = StopReason.malformedEntry(position: 3, error)
      #expect(state.stopReason == reason && reason.description == "Entry 3 cannot be read. \(text)")
    }
    var state = node("b")
    _ = state.next(at: now)
    let gap = LogPage(Array(good.entries.dropFirst()), first: 1, last: 2)
    state.didRead(gap, at: now)
    #expect(state.stopReason == .missingEntry(position: 1))
    // Behind the last position that there is, no snapshot can begin.
    var other = node("b")
    _ = other.next(at: now)
    let end = LogPage.Item(position: .max, bytes: entry("a", 1, 7, point.hash).encoded().bytes)
    other.didRead(LogPage([end], first: 1, last: .max), at: now)
    #expect(other.stopReason == .missingEntry(position: 1))
  }

  @Test func `an entry of a leader that has resigned breaks the fence`() {
    var first = leader("a")
    first.resign()
    _ = step(&first)
    let last = try! Entry.decode(stream.entries[1].bytes)  // It was encoded here.
    #expect(last.entry.kind == .resignation)
    let entry = Entry(.renewal, by: EntryAuthor(node: "a", epoch: 1), on: 0, after: last.hash)
    _ = stream.append(entry.encoded().bytes, expecting: 2, identity: "x")
    var state = node("b")
    _ = step(&state)
    #expect(state.stopReason == .brokenFence(position: 3, epoch: 1, node: "a"))
  }
}
