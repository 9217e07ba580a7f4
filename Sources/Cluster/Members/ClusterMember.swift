internal import GatehouseScheduling
internal import GatehouseTelemetry
internal import Synchronization

/// A node of a cluster: keeps its store and the log together, by what ``MemberState`` says.
///
/// Everything happens on one lane, but for the appends of the store's own commits, which the store's writer waits for.
public final class ClusterMember: Sendable {
  private struct Shared {
    var member: MemberState
    /// Whether the store's writer waits for an append of the lane to end.
    var isWriterWaiting = false
    var isClosed = false
  }

  private let log: any ReplicatedLog
  private let store: any LocalStore
  private let options: MemberOptions
  private let shared: Mutex<Shared>
  private let lane: any Lane
  /// Ends a wait of the lane.
  private let wakeUp: any Signal
  /// Ends a wait of the store's writer.
  private let turn: any Signal

  public init(log: any ReplicatedLog, store: any LocalStore, options: MemberOptions) {
    self.log = log
    self.store = store
    self.options = options
    shared = Mutex(Shared(member: options.makeState()))
    lane = options.scheduler.makeLane("gatehouse.cluster", priority: .userInitiated)
    wakeUp = options.scheduler.makeSignal()
    turn = options.scheduler.makeSignal()
  }

  /// The node's part at this moment.
  public var status: MemberStatus {
    let now = options.clock()
    return shared.withLock { MemberStatus($0.member, at: now) }
  }

  /// Begins to take part, where the log's settings keep what it acknowledges.
  public func start() { lane.async { self.begin() } }

  /// Has the node stop to lead, at once where it does, and never lead again.
  public func resign() {
    update { $0.resign() }
    wakeUp.signal()
  }

  /// Has the node stop to lead, at once where it does, until another one has led.
  public func stepDown() {
    update { $0.stepDown() }
    wakeUp.signal()
  }

  /// Has the node attempt to lead before all others once nobody does, for ten seconds.
  public func stand() {
    let now = options.clock()
    update { $0.stand(at: now) }
    wakeUp.signal()
  }

  /// Ends the node's part: calls that wait return.
  public func close() {
    shared.withLock { $0.isClosed = true }
    log.close()
    wakeUp.signal()
    turn.signal()
  }

  /// Changes the state, and lets the store's writer look whether its turn has come.
  @discardableResult
  private func update<Result>(_ change: (inout MemberState) -> Result) -> Result {
    let (result, isWaiting) = shared.withLock { shared in
      defer { shared.isWriterWaiting = false }
      return (change(&shared.member), shared.isWriterWaiting)
    }
    if isWaiting { turn.signal() }
    return result
  }

  // The lane

  private func begin() {
    lane.assertIsCurrent()
    guard !shared.withLock(\.isClosed) else { return }
    do throws(LogError) {
      let defects = try log.health().refusals(allowingSingleServer: options.allowsSingleServer)
      if !defects.isEmpty { update { $0.stop(.unsafeLog(defects)) } }
    } catch {
      switch error {
      case .unauthorized: update { $0.stop(.unauthorized) }
      case .unusable(let defect): update { $0.stop(.unsafeLog([defect])) }
      case .unavailable, .malformedAnswer, .closed:
        return lane.async(after: options.times.retry) { self.begin() }
      }
    }
    step()
  }

  private func step() {
    lane.assertIsCurrent()
    guard !shared.withLock(\.isClosed) else { return }
    let now = options.clock()
    let action = update { $0.next(at: now) }
    if case .stop(let reason) = action { return options.didStop(reason) }
    perform(action)
    lane.async { self.step() }
  }

  private func perform(_ action: MemberAction) {
    switch action {
    case .read(let position, let patience): read(after: position, patience: patience)
    case .append(let request): append(request)
    case .wait(let limit):
      _ = wakeUp.wait(for: limit)
    case .changeLeader(let leader): store.didChangeLeader(leader)
    case .follow(let leader): follow { try store.follow(leader) }
    case .fetchSnapshot(let position):
      do {
        let start = try store.installSnapshot(atLeast: position)
        let now = options.clock()
        update { $0.didFollow(from: start, at: now) }
      } catch {
        let now = options.clock()
        update { state in
          if let reason = error as? StopReason { state.stop(reason) } else { state.didFailToRead(at: now) }
        }
      }
    case .apply(let rows):
      do { try store.apply(rows) } catch {
        let now = options.clock()
        update { state in
          if let reason = error as? StopReason { state.stop(reason) } else { state.didFailToApply(at: now) }
        }
      }
    case .note(let point, let isLeading):
      // One that is not kept is behind the next one.
      try? store.note(point, whileLeading: isLeading)
    case .lead(let epoch):
      // A store that cannot lead leaves it to others.
      do { try store.lead(epoch: epoch) } catch { update { $0.didFailToCommit() } }
    case .stop: break
    }
  }

  private func read(after position: UInt64, patience: Duration) {
    let result = Result { () throws(LogError) in try log.read(after: position, patience: patience) }
    if case .success(let page) = result { for item in page.items { options.didMove(item.bytes.count) } }
    let now = options.clock()
    update { state in
      switch result {
      case .success(let page): state.didRead(page, at: now)
      case .failure: state.didFailToRead(at: now)
      }
    }
  }

  private func append(_ request: AppendRequest) {
    let outcome = outcome(of: request)
    let now = options.clock()
    update { $0.didAppend(outcome, at: now) }
  }

  private func outcome(of request: AppendRequest) -> AppendOutcome {
    let outcome = log.append(
      request.bytes, expecting: request.expected, identity: request.identity,
      limit: options.times.appendLimit
    )
    if case .appended = outcome { options.didMove(request.bytes.count) }
    return outcome
  }

  private func follow(_ begin: () throws -> StorePoint) {
    do {
      let start = try begin()
      let now = options.clock()
      update { $0.didFollow(from: start, at: now) }
    } catch {
      update { $0.stop(.unreadableStore("\(error)")) }
    }
  }

  // The store's writer

  /// Puts rows of the leader's store into the log, and waits until they are there; called by one thread at a time, before the store
  /// commits. See ``MemberState/append(_:part:versions:at:)``.
  public func append(_ rows: [UInt8], part: Entry.Part, versions: Range<Int64>) -> CommitOutcome {
    while true {
      let now = options.clock()
      let (permission, leader, isClosed) = shared.withLock { shared in
        let permission = shared.member.append(rows, part: part, versions: versions, at: now)
        shared.isWriterWaiting = permission == .busy
        return (permission, shared.member.leader, shared.isClosed)
      }
      switch permission {
      case .granted(let request): return send(request)
      case .notLeading: return .notLeader(leader: leader)
      case .busy:
        if isClosed { return .unavailable }
        turn.wait()
      }
    }
  }

  private func send(_ request: AppendRequest) -> CommitOutcome {
    let outcome = outcome(of: request)
    let now = options.clock()
    let (point, isLeading, isResigning) = update { state in
      state.didAppend(outcome, at: now)
      return (state.point, state.leadingEpoch != nil, state.isResigning)
    }
    // The lane may have found this append under way, and waits to give the lead up behind it.
    if !isLeading || isResigning { wakeUp.signal() }
    switch outcome {
    case .appended where isLeading: return .committed(point)
    case .appended, .inDoubt: return .unknown
    case .refused: return .notLeader(leader: nil)
    case .unavailable: return .unavailable
    }
  }

  /// Has the leader follow: its store could not commit what is in the log.
  public func didFailToCommit() {
    update { $0.didFailToCommit() }
    wakeUp.signal()
  }
}
