public import GatehouseBSON
import GatehouseFunctions
public import GatehouseStorage
public import GatehouseTelemetry

/// Runs the triggers of a store: each in a task of its own, so that one that is slow, or suspended, holds up no other.
public actor TriggerRunner {
  private struct Running {
    let worker: TriggerWorker
    let task: Task<Void, Never>
  }

  private let surroundings: TriggerWorker.Surroundings
  private var running: [String: Running] = [:]
  /// The change of what runs that was asked for last.
  private var change: Task<Void, any Error>?
  /// Makes it once more, where the store did not take where a trigger begins.
  private var repetition: Task<Void, Never>?
  private static let pauseBeforeRepetition: Duration = .seconds(1)
  /// How often others, or none, were asked for: only what was asked for last is tried again.
  private var wishes = 0

  public init(
    _ store: Store, logins: AuthenticationQueue = AuthenticationQueue(), metrics: Registry,
    clock: @escaping @Sendable () -> Date = { .now },
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    _ actions: TriggerActions
  ) {
    let signal = CommitSignal()
    surroundings = TriggerWorker.Surroundings(
      store: store, logins: logins, actions: actions, instruments: TriggerInstruments(metrics),
      signal: signal, clock: clock,
      pause: pause)
    store.addCommitObserver { [weak signal] in signal?.send() }
  }

  /// Runs these from now on, and no others. Those that are what they were go on undisturbed. Where the store follows another one
  /// (``GatehouseStorage/Store/isWritable``), they run there, and none here.
  ///
  /// Throws ``GatehouseStorage/StorageError`` where the store does not take where one begins: that is tried again, until others are to run,
  /// or none.
  public func use(_ triggers: [Trigger]) async throws {
    repetition?.cancel()
    repetition = nil
    wishes += 1
    let wish = wishes
    do { try await change(to: triggers) } catch {
      if wish == wishes { repeatLater(triggers) }
      throw error
    }
  }

  private func repeatLater(_ triggers: [Trigger]) {
    repetition?.cancel()
    repetition = Task { [weak self, pause = surroundings.pause] in
      while (try? await pause(TriggerRunner.pauseBeforeRepetition)) != nil, !Task.isCancelled {
        do {
          try await self?.repeatChange(to: triggers)
          return
        } catch {}
      }
    }
  }

  /// Others may have been asked for since the pause was over: these would take their place.
  private func repeatChange(to triggers: [Trigger]) async throws {
    try Task.checkCancellation()
    try await change(to: triggers)
  }

  private func change(to triggers: [Trigger]) async throws {
    try await change { try await $0.replace(by: triggers) }
  }

  /// One after the other: a trigger that two had begun would have two workers, and be called twice for each change, and one that is
  /// only beginning when all end would run on.
  private func change(_ body: @escaping @Sendable (isolated TriggerRunner) async throws -> Void) async throws
  {
    let change = Task { [last = change] in
      _ = await last?.result
      try await body(self)
    }
    self.change = change
    try await change.value
  }

  private func replace(by triggers: [Trigger]) async throws {
    guard surroundings.store.isWritable else { return }
    let wanted = Dictionary(triggers.map { ($0.name, $0) }) { $1 }
    for (name, entry) in running where wanted[name] != entry.worker.trigger {
      running[name] = nil
      entry.task.cancel()
      await entry.task.value
      await entry.worker.retire(isGone: wanted[name] == nil)
    }
    for (name, trigger) in wanted where running[name] == nil {
      let worker = TriggerWorker(trigger, surroundings)
      try await worker.prepare()
      precondition(running[name] == nil, "a trigger has one worker")
      running[name] = Running(worker: worker, task: Task { await worker.run() })
    }
  }

  /// Returns the state of each trigger, by name.
  public func statuses() async -> [TriggerStatus] {
    var statuses: [TriggerStatus] = []
    for name in running.keys.sorted() {
      if let worker = running[name]?.worker { statuses.append(await worker.currentStatus()) }
    }
    return statuses
  }

  /// Returns whether none of them has anything to do now, and when the first of those that go by time is due.
  public func outlook() async -> (isIdle: Bool, next: Date?) {
    var next: Date?
    for entry in running.values {
      guard await entry.worker.isIdle else { return (false, nil) }
      let status = await entry.worker.currentStatus()
      if status.state != .suspended, let time = status.next { next = min(next ?? time, time) }
    }
    return (true, next)
  }

  /// Lets a trigger that is suspended, or waits to call again, go on with what it failed for, or behind it. Returns its state; nil: there is none of that name.
  public func resume(_ name: String, skipping: Bool = false) async throws -> TriggerStatus? {
    guard let worker = running[name]?.worker else { return nil }
    try await worker.resume(skipping: skipping)
    return await worker.currentStatus()
  }

  /// Ends all of them, when the calls that they wait for have ended.
  public func close() async {
    repetition?.cancel()
    repetition = nil
    wishes += 1
    try? await change { await $0.endAll() }
  }

  private func endAll() async {
    for entry in running.values { entry.task.cancel() }
    for entry in running.values { await entry.task.value }
    running = [:]
  }
}
