import GatehouseSeeded

@testable import GatehouseCluster

/// Nodes and a log, with time that passes by events, and faults that come from a seed.
///
/// It has no threads: ``MemberState`` says what each node does next, and the simulation does that, late, or never.
final class ClusterSimulation {
  private struct Event {
    let time: UInt64
    let number: UInt64
    let run: () -> Void
  }

  static let second: UInt64 = 1_000_000_000
  private var random: SeededGenerator
  private var faults: Faults
  private(set) var now: UInt64 = second
  private var events: [Event] = []
  private var eventCount: UInt64 = 0
  private(set) var nodes: [SimulatedNode]
  private(set) var stream = EntryStream()
  /// All entries that there ever were.
  private(set) var history: [LogPage.Item] = []
  private var valueCount = 0
  /// When each commit began.
  private(set) var begun: [String: UInt64] = [:]
  /// When those were answered that were, and the last of them.
  private(set) var acknowledged: [String: UInt64] = [:]
  private var lastAcknowledged: String?
  /// States that must not be, as they were found.
  private(set) var findings: [String] = []
  private var areFaultsOver = false
  private var areWritersOver = false

  init(seed: UInt64, nodeCount: Int) {
    var random = SeededGenerator(seed: seed)
    faults = Faults(from: &random)
    nodes = (0..<nodeCount).map { index in
      SimulatedNode(
        // The name is a word.
        name: NodeName("n\(index)")!, clockRate: Double.random(in: 0.9...1.1, using: &random),
        clockOffset: Double.random(in: 1e9...9e15, using: &random))
    }
    self.random = random
  }

  /// Runs with faults for so many seconds, without for as many, and without writers for a few more.
  func run(seconds: UInt64) {
    for index in nodes.indices {
      start(index)
      after(milliseconds(0...300)) { [self] in write(index) }
    }
    after(milliseconds(100...500)) { [self] in disturb() }
    advance(to: now + seconds * ClusterSimulation.second)
    areFaultsOver = true
    for index in nodes.indices {
      nodes[index].isPartitioned = false
      if nodes[index].state == nil || nodes[index].state?.hasResigned == true { restart(index) }
    }
    advance(to: now + seconds * ClusterSimulation.second)
    // Messages that are under way arrive.
    areWritersOver = true
    advance(to: now + 10 * ClusterSimulation.second)
  }

  // Time

  private func advance(to end: UInt64) {
    while let event = events.last, event.time <= end {
      events.removeLast()
      now = event.time
      event.run()
      checkLeases()
    }
    now = end
  }

  private func after(_ delay: UInt64, _ run: @escaping () -> Void) {
    eventCount += 1
    let event = Event(time: now + delay, number: eventCount, run: run)
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if (events[middle].time, events[middle].number) > (event.time, event.number) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    events.insert(event, at: low)
  }

  private func milliseconds(_ range: ClosedRange<UInt64>) -> UInt64 {
    UInt64.random(in: range, using: &random) * 1_000_000
  }

  private func happens(_ rate: Int) -> Bool {
    !areFaultsOver && Int.random(in: 0..<1000, using: &random) < rate
  }

  // Nodes

  private func start(_ index: Int) {
    nodes[index].run += 1
    nodes[index].isLeading = false
    nodes[index].isWriting = false
    nodes[index].state = MemberState(
      node: nodes[index].name, times: MemberTimes(), run: "r\(nodes[index].run)",
      stagger: .milliseconds(index * 40))
    nodes[index].state?.noteDistance = 7
    step(index, run: nodes[index].run)
  }

  /// Tells a node that runs, with its clock.
  private func update(_ index: Int, _ change: (inout MemberState, UInt64) -> Void) {
    guard var state = nodes[index].state else { return }
    change(&state, nodes[index].clock(at: now))
    nodes[index].state = state
  }

  private func crash(_ index: Int) {
    nodes[index].state = nil
    nodes[index].run += 1
  }

  private func restart(_ index: Int) {
    crash(index)
    start(index)
  }

  private func isRunning(_ index: Int, _ run: Int) -> Bool {
    nodes[index].run == run && nodes[index].state != nil
  }

  /// Calls `body` later, unless the node has ended by then.
  private func after(_ delay: UInt64, _ index: Int, _ run: Int, _ body: @escaping () -> Void) {
    after(delay) { [self] in if isRunning(index, run) { body() } }
  }

  private func step(_ index: Int, run: Int) {
    guard isRunning(index, run) else { return }
    let clock = nodes[index].clock(at: now)
    guard let action = nodes[index].state?.next(at: clock) else { return }
    switch action {
    case .read(let position, let patience):
      read(index, run, after: position, until: now + nodes[index].trueTime(patience))
    case .append(let request):
      append(index, run, request) { [self] outcome in
        update(index) { $0.didAppend(outcome, at: $1) }
        step(index, run: run)
      }
    case .wait(let duration):
      after(max(1_000, nodes[index].trueTime(duration))) { [self] in step(index, run: run) }
    case .changeLeader: soon(index, run)
    case .follow:
      // The store waits for its own commit to end.
      guard !nodes[index].isWriting else {
        return after(1_000_000, index, run) { [self] in follow(index, run) }
      }
      follow(index, run)
    case .lead:
      nodes[index].isLeading = true
      soon(index, run)
    case .apply(let rows):
      if happens(faults.crashes / 10) { return crash(index) }
      if happens(faults.failedCommits / 4) {
        update(index) { $0.didFailToApply(at: $1) }
      } else {
        nodes[index].store.apply(rows)
      }
      soon(index, run)
    case .note(let point, let isLeading): note(point, index, run, whileLeading: isLeading)
    case .fetchSnapshot(let position): fetchSnapshot(index, run, atLeast: position)
    case .stop(let reason): findings.append("\(nodes[index].name.text) stopped: \(reason)")
    }
  }

  private func soon(_ index: Int, _ run: Int) { after(10_000) { [self] in step(index, run: run) } }

  private func follow(_ index: Int, _ run: Int) {
    guard !nodes[index].isWriting else {
      return after(1_000_000, index, run) { [self] in follow(index, run) }
    }
    nodes[index].isLeading = false
    nodes[index].store.rollBack()
    let point = nodes[index].store.point
    update(index) { $0.didFollow(from: point, at: $1) }
    soon(index, run)
  }

  /// Has a store keep its place, when its own commit has ended.
  private func note(_ point: LogPoint, _ index: Int, _ run: Int, whileLeading isLeading: Bool) {
    guard !nodes[index].isWriting else {
      return after(1_000_000, index, run) { [self] in note(point, index, run, whileLeading: isLeading) }
    }
    if nodes[index].isLeading == isLeading { nodes[index].store.note(point) }
    soon(index, run)
  }

  private func fetchSnapshot(_ index: Int, _ run: Int, atLeast position: UInt64) {
    let others = nodes.indices.filter {
      $0 != index && nodes[$0].store.point.log.position >= position
    }
    guard let other = others.randomElement(using: &random) else {
      update(index) { $0.didFailToRead(at: $1) }
      return soon(index, run)
    }
    let copy = nodes[other].store
    after(milliseconds(10...900), index, run) { [self] in
      nodes[index].store = copy
      update(index) { $0.didFollow(from: copy.point, at: $1) }
      step(index, run: run)
    }
  }

  // The log

  private func latency() -> UInt64 {
    happens(faults.delays) ? milliseconds(500...6_000) : milliseconds(0...3)
  }

  private func read(_ index: Int, _ run: Int, after position: UInt64, until end: UInt64) {
    after(latency(), index, run) { [self] in
      guard !nodes[index].isPartitioned, !happens(faults.losses) else {
        return after(milliseconds(50...2_000), index, run) { [self] in
          update(index) { $0.didFailToRead(at: $1) }
          step(index, run: run)
        }
      }
      let missing = happens(faults.lateServers) ? UInt64.random(in: 0...5, using: &random) : 0
      let page = stream.page(after: position, missing: missing)
      guard !page.items.isEmpty || now >= end else {
        return after(5_000_000, index, run) { [self] in
          read(index, run, after: position, until: end)
        }
      }
      after(latency(), index, run) { [self] in
        update(index) { $0.didRead(page, at: $1) }
        step(index, run: run)
      }
    }
  }

  /// Sends an append, which the servers get or do not get, perhaps twice, and which is answered or not.
  private func append(
    _ index: Int, _ run: Int, _ request: AppendRequest,
    _ completion: @escaping (AppendOutcome) -> Void
  ) {
    var isAnswered = false
    func answer(_ outcome: AppendOutcome) {
      guard !isAnswered, isRunning(index, run) else { return }
      isAnswered = true
      completion(outcome)
    }
    if nodes[index].isPartitioned, Bool.random(using: &random) {
      return after(latency(), index, run) { answer(.unavailable) }
    }
    after(4 * ClusterSimulation.second, index, run) { answer(.inDoubt) }
    if nodes[index].isPartitioned { return }
    if happens(faults.lateServers) {
      let current =
        request.expected - min(request.expected, UInt64.random(in: 0...3, using: &random))
      if current != request.expected {
        return after(latency(), index, run) { answer(.refused(current: current)) }
      }
    }
    for _ in 0..<(happens(faults.losses) ? Int.random(in: 0...2, using: &random) : 1) {
      after(latency()) { [self] in
        let before = stream.last
        let outcome = stream.append(
          request.bytes, expecting: request.expected, identity: request.identity)
        if stream.last > before, let item = stream.entries.last { history.append(item) }
        if happens(faults.losses) { return }
        after(latency(), index, run) { answer(outcome) }
      }
    }
  }

  // Writers

  private func write(_ index: Int) {
    after(milliseconds(5...400)) { [self] in write(index) }
    guard !areWritersOver, nodes[index].isLeading, !nodes[index].isWriting else { return }
    valueCount += 1
    let value = "v\(valueCount);"
    begun[value] = now
    let first = nodes[index].store.point.version + 1
    let versions = first..<(first + Int64.random(in: 0...2, using: &random))
    let partCount = Int.random(in: 1...3, using: &random)
    nodes[index].isWriting = true
    appendPart(
      index, nodes[index].run, Commit(value: value, versions: versions, partCount: partCount))
  }

  private struct Commit {
    let value: String
    let versions: Range<Int64>
    let partCount: Int
    var sentParts = 0

    /// The bytes of the next part: the value, and nothing in the others.
    var rows: [UInt8] { sentParts == 0 ? Array(value.utf8) : [] }
    var partVersions: Range<Int64> {
      part.isLast ? versions : versions.lowerBound..<versions.lowerBound
    }
    var part: Entry.Part { Entry.Part(UInt32(sentParts), isLast: sentParts + 1 == partCount) }
  }

  private func appendPart(_ index: Int, _ run: Int, _ commit: Commit) {
    let clock = nodes[index].clock(at: now)
    let permission = nodes[index].state?.append(
      commit.rows, part: commit.part, versions: commit.partVersions, at: clock)
    guard case .granted(let request) = permission else {
      guard permission == .busy else { return endCommit(index) }
      return after(1_000_000, index, run) { [self] in appendPart(index, run, commit) }
    }
    append(index, run, request) { [self] outcome in
      update(index) { $0.didAppend(outcome, at: $1) }
      guard case .appended = outcome, let point = nodes[index].state?.point,
        nodes[index].state?.leadingEpoch != nil
      else { return endCommit(index) }
      guard commit.part.isLast else {
        var commit = commit
        commit.sentParts += 1
        if happens(faults.failedCommits) { return endCommit(index) }
        return appendPart(index, run, commit)
      }
      if happens(faults.crashes) { return crash(index) }
      if happens(faults.failedCommits) {
        nodes[index].state?.didFailToCommit()
        return endCommit(index)
      }
      nodes[index].store.commit(Array(commit.value.utf8), versions: commit.versions, at: point)
      acknowledged[commit.value] = now
      lastAcknowledged = commit.value
      endCommit(index)
    }
  }

  private func endCommit(_ index: Int) {
    nodes[index].isWriting = false
    // A store that does not know, or could not commit, follows at once.
    if nodes[index].state?.leadingEpoch == nil { nodes[index].isLeading = false }
  }

  // Faults

  private func disturb() {
    guard !areFaultsOver else { return }
    after(milliseconds(20...200)) { [self] in disturb() }
    let index = Int.random(in: nodes.indices, using: &random)
    if happens(faults.partitions) {
      nodes[index].isPartitioned = true
      after(milliseconds(100...9_000)) { [self] in nodes[index].isPartitioned = false }
    }
    if happens(faults.crashes), nodes[index].state != nil {
      crash(index)
      after(milliseconds(1...6_000)) { [self] in if nodes[index].state == nil { start(index) } }
    } else if nodes[index].state == nil {
      // A node that has ended in the middle of a step.
      start(index)
    }
    if happens(faults.trims), let position = nodes.map(\.store.point.log.position).max(),
      position > 1
    {
      stream.trim(through: UInt64.random(in: 1..<position, using: &random))
    }
    if happens(faults.resignations) {
      nodes[index].state?.resign()
      after(milliseconds(500...3_000)) { [self] in
        if nodes[index].state?.hasResigned == true { restart(index) }
      }
    }
  }

  // Findings

  /// At most one node has a lease, and it has everything that was acknowledged.
  private func checkLeases() {
    let holders = nodes.filter { $0.state?.hasLease(at: $0.clock(at: now)) == true }
    if holders.count > 1 {
      findings.append("\(holders.map(\.name.text)) have a lease at \(now)")
    }
    for holder in holders {
      guard let last = lastAcknowledged, !holder.store.commits.suffix(20).contains(last) else {
        continue
      }
      findings.append("\(holder.name.text) reads without \(last) at \(now)")
    }
  }
}
