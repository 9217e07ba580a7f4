import Testing

@testable import GatehouseCluster

/// When a node that follows answers reads: not while its store lacks what the log had long ago.
@Suite struct FreshnessTests {
  private static let second: UInt64 = 1_000_000_000
  private let times = MemberTimes()
  private var stream = EntryStream()
  private var now: UInt64 = 1_000 * second

  private func node(_ name: String, from start: StorePoint) -> MemberState {
    // The name is a word.
    var state = MemberState(node: NodeName(name)!, times: times, run: "r", stagger: .zero)
    _ = state.next(at: now)
    state.didFollow(from: start, at: now)
    return state
  }

  /// Appends as much as a leader does, and returns its place in the log.
  private mutating func lead(_ commits: Int) -> LogPoint {
    var state = node("a", from: StorePoint(log: .start, version: 0))
    state.didRead(stream.page(after: 0), at: now)
    now += 4 * FreshnessTests.second
    var requests: [AppendRequest] = []
    if case .append(let request) = state.next(at: now) { requests.append(request) }
    for version in 0...Int64(commits) {
      guard let request = requests.popLast() else { break }
      let outcome = stream.append(
        request.bytes, expecting: request.expected, identity: request.identity)
      state.didAppend(outcome, at: now)
      if version == 0 { _ = state.next(at: now) }
      if version < commits,
        case .granted(let next) = state.append(
          [1], part: .whole, versions: (version + 1)..<(version + 2), at: now)
      {
        requests.append(next)
      }
    }
    return state.point
  }

  @Test mutating func `a node that reads what is old is not fresh before it has come to the end`() throws {
    let end = lead(3)
    #expect(end.position == 4)
    let start = StorePoint(log: .start, version: 0)
    var state = node("b", from: start)
    for item in stream.page(after: 0).items {
      let page = LogPage([item], first: 1, last: 4)
      #expect(!state.isFresh(at: now))
      state.didRead(page, at: now)
      // It has read it, and its store does not have it yet.
      #expect(!state.isFresh(at: now))
      guard item.position == 4 else {
        while state.next(at: now) != .read(after: item.position, patience: .zero) {}
        now += FreshnessTests.second
        continue
      }
      guard case .apply = state.next(at: now) else {
        Issue.record("nothing to apply")
        return
      }
      #expect(!state.isFresh(at: now))
      _ = state.next(at: now)
    }
    // The log may have grown since the node heard of its end, three seconds ago.
    #expect(state.isFresh(at: now) && !state.isFresh(at: now + 2 * FreshnessTests.second))
    // It stays as fresh as it was where it begins to follow anew.
    state.didFollow(from: StorePoint(log: end, version: 3), at: now)
    state.didRead(stream.page(after: 3), at: now)
    #expect(state.isFresh(at: now) && !state.isFresh(at: now + 2 * FreshnessTests.second))
    // One that has only found its own last entry may be far behind what comes next.
    var other = node("c", from: StorePoint(log: end, version: 3))
    other.didRead(stream.page(after: 3), at: now)
    other.didRead(stream.page(after: 4), at: now)
    _ = other.next(at: now)
    #expect(other.isAtEnd && !other.isFresh(at: now))
  }
}
