import GatehouseBSON
import GatehouseDocuments
import GatehouseFeeds
import GatehouseFunctions
import GatehouseStorage

/// Calls the function of one trigger, again and again, until it is told to stop.
///
/// At least once for each change or time: what has been called for is kept, durably, after some calls, and what was called for since
/// then is called for again after a crash.
actor TriggerWorker {
  /// The things that all triggers of a store share.
  struct Surroundings: Sendable {
    let store: Store
    let logins: AuthenticationQueue
    let actions: TriggerActions
    let instruments: TriggerInstruments
    let signal: CommitSignal
    let clock: @Sendable () -> Date
    /// Waits; throws where the task is cancelled.
    let pause: @Sendable (Duration) async throws -> Void
  }

  nonisolated let trigger: Trigger
  private let surroundings: Surroundings
  private var state = TriggerState()
  /// The state that is on the disk.
  private var kept = TriggerState()
  private var status: TriggerStatus
  /// Wakes a suspended trigger.
  private let resumption = CommitSignal()
  /// How often the store could not be read or written since the state was kept.
  private var storeFailures = 0

  /// The changes that are read in one go, after which the position is kept.
  private static let batch = 64
  /// The calls of an unordered trigger that run at once.
  private static let concurrency = 8
  /// The failures of one call after which the trigger is suspended: about two minutes.
  static let attempts = 8
  /// The commits behind the kept position after which it is kept though nothing has been called for.
  private static let idleCommits: Int64 = 1_000

  init(_ trigger: Trigger, _ surroundings: Surroundings) {
    self.trigger = trigger
    self.surroundings = surroundings
    status = TriggerStatus(trigger)
  }

  /// Finds where the trigger goes on: what is committed later is told. Called before ``run()``.
  func prepare() async throws {
    try load()
    if trigger.isDisabled {
      state.wasDisabled = true
    } else if state.wasDisabled || kept == TriggerState() {
      begin()
    }
    try await keep()
    guard case .authentication(let watched) = trigger.cause, !trigger.isDisabled else { return }
    let name = trigger.name
    let waiting = try await surroundings.store.read { reader in
      try reader.countRecords(AuthenticationQueue.kind, withPrefix: "\(name)/")
    }
    surroundings.logins.watch(watched, for: name, waiting: waiting)
  }

  /// Called when it has ended, and another one, or none, is there in its place.
  func retire(isGone: Bool) async {
    guard case .authentication = trigger.cause else { return }
    surroundings.logins.stopWatching(for: trigger.name)
    guard isGone else { return }
    // Where that fails, they are told to the next trigger of the name.
    _ = try? await surroundings.store.keep([
      RecordChange(removingAll: AuthenticationQueue.kind, withPrefix: "\(trigger.name)/")
    ])
  }

  /// Works until the task is cancelled.
  func run() async {
    if trigger.isDisabled { return }
    while !Task.isCancelled {
      do {
        try await work()
      } catch is CancellationError {
        break
      } catch {
        // A disk that is full, or fails, may work again: what has been called for is kept then.
        status.error = "\(error)"
        storeFailures += 1
        do { try await surroundings.pause(TriggerWorker.delay(after: storeFailures)) } catch { break }
        status.error = nil
      }
    }
    // Nothing is called for again that has been called for.
    try? await keep()
  }

  /// Calls for what there is until the trigger is suspended, or once more when it has been resumed.
  private func work() async throws {
    try await keep()
    if state.suspension != nil { try await waitForResumption() }
    switch trigger.cause {
    case .changes(let watched): try await follow(watched)
    case .time(let schedule): try await keepTime(schedule)
    case .authentication: try await takeLogins()
    }
  }

  /// The pause after so many failures that follow each other: 1, 2, 4 … 60 seconds.
  private static func delay(after failures: Int) -> Duration {
    precondition(failures > 0, "a pause comes after a failure")
    return .seconds(min(60, 1 << min(6, failures - 1)))
  }

  /// Returns the trigger's state as it is now.
  func currentStatus() -> TriggerStatus {
    var status = status
    status.state =
      if trigger.isDisabled { .disabled } else if state.suspension != nil {
        .suspended
      } else if status.attempts > 0 {
        .retrying
      } else { .running }
    status.error = state.suspension ?? status.error
    if case .changes = trigger.cause, let position = state.position {
      status.position = position.text
      status.lag = max(0, surroundings.store.version - position.version)
    }
    if case .authentication = trigger.cause { status.lost = surroundings.logins.lost(for: trigger.name) }
    if case .time(let schedule) = trigger.cause, !trigger.isDisabled, let time = state.time {
      status.next = schedule.next(after: time)
    }
    return status
  }

  /// Whether it has nothing to do before somebody commits, logs in or resumes it, or its next time comes.
  var isIdle: Bool {
    if trigger.isDisabled || state.suspension != nil { return true }
    if status.attempts > 0 { return false }
    return switch trigger.cause {
    case .changes: (currentStatus().lag ?? 0) == 0
    case .time: currentStatus().next.map { surroundings.clock() < $0 } ?? true
    case .authentication: surroundings.logins.waiting(for: trigger.name) == 0
    }
  }

  /// Lets a trigger that is suspended, or waits to call again, go on at once, behind the change that it failed for where that is to
  /// be left out.
  func resume(skipping: Bool) async throws {
    guard let reason = state.suspension else { return retry(skipping: skipping) }
    let (position, failed) = (state.position, state.failed)
    (state.suspension, state.failed) = (nil, nil)
    (status.error, status.attempts) = (nil, 0)
    if skipping, let failed { state.position = failed } else { skipsNext = skipping }
    do { try await keep() } catch {
      // It waits still, and can be resumed again.
      (state.suspension, state.position, state.failed, skipsNext) = (reason, position, failed, false)
      throw error
    }
    resumption.send()
  }

  /// Whether the next change, or time, is left out.
  private var skipsNext = false
  /// The pauses before calls that have failed are made again.
  private var pauses: [Task<Void, any Error>] = []
  /// How often somebody has had the calls that have failed left out.
  private var skips = 0

  /// Ends the pauses of calls that have failed.
  private func retry(skipping: Bool) {
    guard status.attempts > 0 else { return }
    if skipping { skips += 1 }
    // The call that is made next notes its own failure.
    (status.attempts, status.error) = (0, nil)
    for pause in pauses { pause.cancel() }
  }

  /// Waits before a call is made again, until ``retry(skipping:)``; throws where the trigger ends.
  private func waitToRetry(_ duration: Duration) async throws {
    let surroundings = surroundings
    let pause = Task { try await surroundings.pause(duration) }
    pauses.append(pause)
    defer { pauses.removeAll { $0 == pause } }
    await withTaskCancellationHandler {
      _ = await pause.result
    } onCancel: {
      pause.cancel()
    }
    try Task.checkCancellation()
  }

  private func load() throws {
    let bytes = try surroundings.store.makeReader().record(TriggerState.name(of: trigger.name))
    if let bytes, let known = TriggerState(bytes) { (state, kept) = (known, known) }
  }

  /// A trigger that is new, or is not to be told of what it missed, begins where the store is.
  private func begin() {
    state.wasDisabled = false
    if state.position == nil || trigger.skipsMissed {
      state.position = LogPosition(version: surroundings.store.version)
    }
    if state.time == nil || trigger.skipsMissed { state.time = surroundings.clock() }
  }

  private func keep() async throws {
    guard state != kept else { return }
    if let position = state.position, let last = kept.position {
      precondition(position >= last, "what has been called for is not called for again")
    }
    let wanted = state
    _ = try await surroundings.store.keep([
      RecordChange(TriggerState.name(of: trigger.name), try wanted.bytes())
    ])
    kept = wanted
    storeFailures = 0
  }

  private func waitForResumption() async throws {
    for await _ in resumption.stream() where state.suspension == nil { break }
    try Task.checkCancellation()
  }

  private func suspend(_ reason: String) async throws {
    state.suspension = reason
    try await keep()
  }

  // Changes

  /// Calls for changes until the trigger is suspended.
  private func follow(_ watched: WatchedChanges) async throws {
    let subscription = Subscription(.objectType(watched.objectType), filter: watched.filter)
    let commits = surroundings.signal.stream()
    var wakes = commits.makeAsyncIterator()
    let start = state.position ?? LogPosition(version: surroundings.store.version)
    let reader: ChangeReader
    let selection: EventSelection
    do {
      selection = try EventSelection(watched)
      reader = try ChangeReader(surroundings.store, subscription, after: start)
    } catch let error as SubscriptionError {
      return try await suspend("\(error)")
    } catch let error as DocumentsError {
      return try await suspend(error.message)
    }
    while state.suspension == nil {
      try Task.checkCancellation()
      let found: (changes: [ChangeReader.Change], isLast: Bool)
      do {
        found = try reader.next(limit: TriggerWorker.batch)
      } catch StorageError.positionExpired {
        guard watched.toleratesGaps else {
          return try await suspend("The change log does not reach back to where the trigger was.")
        }
        state.position = LogPosition(version: surroundings.store.version)
        return try await keep()
      } catch let error as SubscriptionError {
        return try await suspend("\(error)")
      }
      precondition(
        found.changes.count <= TriggerWorker.batch, "the position is kept after a bounded number of changes")
      let due = found.changes.filter(watched.includes)
      let isDone: Bool
      do { isDone = try await deliver(due, of: watched, as: selection) } catch let error as DocumentsError {
        return try await suspend(error.message)
      }
      if isDone, reader.position > (state.position ?? start) { state.position = reader.position }
      let idle = reader.position.version - (kept.position?.version ?? 0)
      if !due.isEmpty || !isDone || idle >= TriggerWorker.idleCommits { try await keep() }
      guard isDone else { return }
      if found.isLast, await wakes.next() == nil { throw CancellationError() }
    }
  }

  /// Calls for each of the changes; false: the trigger has been suspended at one of them.
  private func deliver(
    _ changes: [ChangeReader.Change], of watched: WatchedChanges, as selection: EventSelection
  ) async throws -> Bool {
    let pieces = watched.isUnordered ? TriggerWorker.concurrency : 1
    var rest = changes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(pieces)
      rest = rest.dropFirst(piece.count)
      let now = surroundings.clock()
      let events = try piece.enumerated().compactMap { index, change -> Event? in
        let id = surroundings.actions.identifier(of: change.position)
        guard let document = try selection.selected(Document(change, id: id, for: watched), at: now),
          !takeSkip()
        else {
          return nil
        }
        return Event(index: index, document: document, id: id)
      }
      let failures = await failures(of: events)
      let first = failures.keys.min()
      // Behind the last change before the first that failed.
      let passed = first.map { piece.prefix($0) } ?? piece
      if let last = passed.last {
        precondition(
          last.position >= (state.position ?? last.position), "changes are called for in their order")
        state.position = last.position
      }
      // A call that was broken off has not failed.
      try Task.checkCancellation()
      if let first, let reason = failures[first] {
        (state.suspension, state.failed) = (reason, piece[piece.startIndex + first].position)
        return false
      }
    }
    return true
  }

  /// An event of a piece of changes that are told side by side.
  private struct Event: Sendable {
    let index: Int
    let document: Document
    let id: String
  }

  /// Calls for all of them at once, and returns why some have failed, by their places.
  @concurrent private nonisolated func failures(of events: [Event]) async -> [Int: String] {
    await withTaskGroup(of: (Int, String?).self) { group in
      for event in events {
        group.addTask { (event.index, await self.call([.document(event.document)], id: event.id)) }
      }
      var failures: [Int: String] = [:]
      for await (index, failure) in group { failures[index] = failure }
      return failures
    }
  }

  private func takeSkip() -> Bool {
    defer { skipsNext = false }
    return skipsNext
  }

  // Logins

  /// Calls for logins, and for users who come and go, until the trigger is suspended.
  private func takeLogins() async throws {
    let appended = surroundings.logins.signal.stream()
    var wakes = appended.makeAsyncIterator()
    let name = trigger.name
    while state.suspension == nil {
      try Task.checkCancellation()
      let records = try await surroundings.store.read { reader in
        try reader.records(AuthenticationQueue.kind, withPrefix: "\(name)/", limit: TriggerWorker.batch)
      }
      if records.isEmpty {
        surroundings.logins.setWaiting(0, for: name)
        if await wakes.next() == nil { throw CancellationError() }
      }
      for record in records {
        try Task.checkCancellation()
        let event = (try? Document(bson: record.value)).map { [Value.document($0)] } ?? []
        if !takeSkip(), let failure = await call(event, id: String(record.name.key.suffix(24))) {
          try Task.checkCancellation()
          return try await suspend(failure)
        }
        _ = try await surroundings.store.keep([RecordChange(record.name, nil)])
      }
    }
  }

  // Time

  /// Calls at the times of the schedule until the trigger is suspended. Times that have been missed are one call.
  private func keepTime(_ schedule: Schedule) async throws {
    while state.suspension == nil {
      let last = state.time ?? surroundings.clock()
      guard let next = schedule.next(after: last) else {
        return try await suspend("The schedule has no time that comes.")
      }
      precondition(next > last, "a schedule does not call for one time twice")
      while case let now = surroundings.clock(), now < next {
        // The system's clock may be set meanwhile.
        try await surroundings.pause(.seconds(min(30, max(1, next.seconds - now.seconds))))
      }
      try Task.checkCancellation()
      if !takeSkip(), let failure = await call([], id: "\(next.seconds)") {
        try Task.checkCancellation()
        return try await suspend(failure)
      }
      state.time = max(next, surroundings.clock())
      try await keep()
    }
  }

  // Calls

  /// Calls the function, or sends the webhook, until that succeeds; returns why it does not.
  private func call(_ arguments: [Value], id: String) async -> String? {
    precondition(!trigger.isDisabled, "a trigger that is disabled calls for nothing")
    var attempts = 0
    let earlierSkips = skips
    while true {
      guard let failure = await attempt(arguments, id: "\(trigger.name):\(id)") else {
        note(nil)
        return nil
      }
      attempts += 1
      note(failure, attempts)
      guard attempts < TriggerWorker.attempts else { return failure }
      if skips == earlierSkips {
        do { try await waitToRetry(TriggerWorker.delay(after: attempts)) } catch { return failure }
      }
      if skips > earlierSkips {
        // Where it failed while it was told to skip.
        (status.attempts, status.error) = (0, nil)
        return nil
      }
    }
  }

  /// Returns why it has failed; nil: it has not.
  private func attempt(_ arguments: [Value], id: String) async -> String? {
    switch trigger.action {
    case .webhook(let webhook):
      return await surroundings.actions.send(webhook, (arguments.first ?? [:]).extendedJSON, id)
    case .function(let name):
      var invocation = Invocation(name: name, arguments: arguments, requestID: id)
      invocation.runsAsSystem = true
      do throws(FunctionError) {
        _ = try await surroundings.actions.call(invocation)
        return nil
      } catch {
        return error.sentence
      }
    }
  }

  private func note(_ failure: String?, _ attempts: Int = 0) {
    status.calls += 1
    status.attempts = attempts
    status.error = failure
    if failure != nil { status.failures += 1 }
    surroundings.instruments.note(isFailure: failure != nil)
  }
}

extension FunctionError {
  /// The failure, as operators read it.
  fileprivate var sentence: String {
    switch self {
    case .thrown(let message): message
    case .notFound: "There is no such function."
    default: "\(self)"
    }
  }
}
