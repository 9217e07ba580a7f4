import Dispatch
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
    var idle: [DispatchQueue]
    var waiting = RoundRobinQueue<UInt64, Job>(
      capacity: PasswordHasher.capacity.total, capacityPerKey: PasswordHasher.capacity.perClient)
    var lastID = 0
  }

  private let workers: Int
  private let state: Mutex<State>

  init(workers: Int) {
    self.workers = workers
    state = Mutex(
      State(idle: (0..<workers).map { DispatchQueue(label: "gatehouse.hash.\($0)", qos: .utility) }))
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
        if Task.isCancelled { cancel(id, of: client) }
      }
    } onCancel: {
      cancel(id, of: client)
    }
  }

  private func submit(_ job: Job, for client: UInt64) {
    var worker: DispatchQueue?
    let refused: Job? = state.withLock { state in
      worker = state.idle.popLast()
      if worker != nil { return nil }
      switch state.waiting.append(job, for: client) {
      case .admitted: return nil
      case .displacing(let other): return other
      case .refused: return job
      }
    }
    refused?.refuse(UserError.tooManyWaiting(seconds: patience))
    if let worker { worker.async { self.run(job, on: worker) } }
  }

  /// Seconds after which what waits now has been done.
  private var patience: Int { 1 + waiting / (workers * 10) }

  private func run(_ job: Job, on worker: DispatchQueue) {
    job.run()
    let next: Job? = state.withLock { state in
      if let next = state.waiting.popFirst() { return next }
      state.idle.append(worker)
      return nil
    }
    if let next { worker.async { self.run(next, on: worker) } }
  }

  private func cancel(_ id: Int, of client: UInt64) {
    let job = state.withLock { $0.waiting.remove(of: client) { $0.id == id } }
    job?.refuse(CancellationError())
  }
}
