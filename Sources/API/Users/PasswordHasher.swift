import GatehouseScheduling
import GatehouseSharing
import Synchronization

/// Computes password hashes on threads of its own, as many at once as there are workers. Clients take turns, and what
/// waits is bounded: each hash takes about a tenth of a second, and more of them cannot be done than can be done.
final class PasswordHasher: Sendable {
  /// Hashes that may wait, in all and for one client.
  static let capacity = (total: 64, perClient: 16)

  /// One hash that is to be computed, or is not.
  private struct Job: Sendable {
    let id: Int
    let run: @Sendable () -> Void
    let refuse: @Sendable (any Error) -> Void
  }

  private struct State {
    var idle: [any Lane]
    var waiting = FairQueue<Job>(
      capacity: PasswordHasher.capacity.total,
      admission: .displaces(most: PasswordHasher.capacity.perClient))
    var lastID = 0
  }

  private let workers: Int
  private let state: Mutex<State>

  init(workers: Int, on scheduler: any Scheduler = DispatchScheduler()) {
    precondition(workers > 0, "somebody computes the hashes that wait")
    self.workers = workers
    state = Mutex(
      State(idle: (0..<workers).map { scheduler.makeLane("gatehouse.hash.\($0)", priority: .utility) }))
  }

  /// The number of workers that have nothing to do.
  var idle: Int { state.withLock { $0.idle.count } }
  /// The number of hashes that wait.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Computes something for a client when its turn comes. Throws ``UserError/tooManyWaiting(seconds:)``, and
  /// `CancellationError` where the client has left meanwhile.
  func compute<Result: Sendable>(
    for client: UInt64, _ body: @escaping @Sendable () -> Result
  ) async throws -> Result {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        submit(
          Job(
            id: id, run: { continuation.resume(returning: body()) },
            refuse: { continuation.resume(throwing: $0) }),
          for: client)
        // The task may have been cancelled before there was anything to take away.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func submit(_ job: Job, for client: UInt64) {
    var worker: (any Lane)?
    let refused: Job? = state.withLock { state in
      worker = state.idle.popLast()
      if worker != nil {
        precondition(state.waiting.isEmpty, "\(state.waiting.count) hashes wait while a worker is idle")
        state.waiting.serve(Caller(address: client))
        return nil
      }
      do throws(SharingError) {
        return try state.waiting.append(job, for: Caller(address: client))
      } catch {
        return job
      }
    }
    refused?.refuse(UserError.tooManyWaiting(seconds: patience))
    if let worker { worker.async { self.run(job, on: worker) } }
  }

  /// Seconds after which what waits now has been done.
  private var patience: Int { 1 + waiting / (workers * 10) }

  private func run(_ job: Job, on worker: any Lane) {
    job.run()
    let next: Job? = state.withLock { state in
      guard let (next, caller) = state.waiting.popFirst() else {
        state.idle.append(worker)
        precondition(state.idle.count <= workers, "a worker has one job at a time")
        return nil
      }
      // All take about as long.
      state.waiting.charge(1, to: caller)
      return next
    }
    if let next { worker.async { self.run(next, on: worker) } }
  }

  private func cancel(_ id: Int) {
    let job = state.withLock { $0.waiting.removeFirst { $0.id == id } }
    job?.refuse(CancellationError())
  }
}
