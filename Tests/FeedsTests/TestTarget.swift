import Dispatch
import GatehouseStorage
import Synchronization

@testable import GatehouseFeeds

/// An event loop that does one thing after another when the test says so, with a clock that the test sets.
final class ManualLoop: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var time: UInt64 = 1_000_000_000_000
  }

  private let state = Mutex(State())

  func broker(_ broker: EventBroker) -> LoopBroker {
    LoopBroker(
      broker, shard: 0, clock: { self.state.withLock { $0.time } },
      schedule: { job in
        self.state.withLock { $0.jobs.append(job) }
      })
  }

  func advance(seconds: UInt64) { state.withLock { $0.time += seconds * 1_000_000_000 } }

  /// Does the first thing that waits; false: nothing does.
  @discardableResult
  func runOnce() -> Bool {
    let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    job?()
    return job != nil
  }

  func run() { while runOnce() {} }
}

/// An event loop on a queue of its own.
final class QueueLoop: Sendable {
  private let queue = DispatchQueue(label: "test.loop")
  private let time = Mutex<UInt64>(1_000_000_000_000)

  func broker(_ broker: EventBroker) -> LoopBroker {
    LoopBroker(
      broker, shard: 0, clock: { self.time.withLock { $0 } },
      schedule: { job in
        self.queue.async(execute: job)
      })
  }

  func advance(seconds: UInt64) { time.withLock { $0 += seconds * 1_000_000_000 } }

  /// Runs `body` on the loop, after everything that waits there.
  func run<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer {
    await withCheckedContinuation { done in
      queue.async { done.resume(returning: body()) }
    }
  }
}

/// Keeps what is pushed, each in its own write.
final class TestTarget: DeliveryTarget {
  enum End: Equatable {
    case finished(String)
    case aborted
  }

  private struct State {
    var writes: [String] = []
    var isBusy = false
    var end: End?
    var waiter: (isEnough: @Sendable (State) -> Bool, done: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  var isBusy: Bool { state.withLock { $0.isBusy } }
  var writes: [String] { state.withLock { $0.writes } }
  var text: String { writes.joined() }
  var end: End? { state.withLock { $0.end } }

  /// Takes everything that was written so far.
  func takeWrites() -> [String] {
    state.withLock { state in
      defer { state.writes = [] }
      return state.writes
    }
  }

  func setBusy(_ isBusy: Bool) { change { $0.isBusy = isBusy } }
  func push(_ encoded: EncodedEvents) { change { $0.writes.append(encoded.text) } }
  func finish(_ frame: [UInt8]) { change { $0.end = .finished(String(decoding: frame, as: UTF8.self)) } }
  func abort() { change { $0.end = .aborted } }

  /// Returns once an event of that name has come.
  func wait(for event: String) async {
    await wait { $0.writes.joined().contains("event: \(event)\n") }
  }

  func waitForEnd() async { await wait { $0.end != nil } }

  private func wait(_ isEnough: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { done in
      let isDone = state.withLock { state in
        if isEnough(state) { return true }
        state.waiter = (isEnough, done)
        return false
      }
      if isDone { done.resume() }
    }
  }

  private func change(_ change: (inout State) -> Void) {
    let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
      change(&state)
      guard let waiter = state.waiter, waiter.isEnough(state) else { return nil }
      state.waiter = nil
      return waiter.done
    }
    done?.resume()
  }
}
