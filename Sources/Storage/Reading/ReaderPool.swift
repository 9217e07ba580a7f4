import Dispatch
import SQLite
import Synchronization

/// Readers on threads of their own, for what would keep an event loop too long.
///
/// Each takes the job that has waited longest. A job whose task is cancelled stops within a few thousand
/// instructions of SQLite's machine; one that still waits does nothing when its turn comes.
final class ReaderPool: Sendable {
  private typealias Job = @Sendable (Worker) -> Void

  private struct State {
    var idle: [Worker] = []
    var count = 0
    var waiting: [Job] = []
  }

  private let writer: Writer
  private let size: Int
  private let state = Mutex(State())

  /// At most `size` threads, each made when the others are busy.
  init(_ writer: Writer, size: Int) {
    self.writer = writer
    self.size = size
  }

  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    let interruption = Interruption()
    let result: Result<Answer, any Error> = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        submit { worker in
          continuation.resume(returning: Result { try worker.read(until: interruption, body) })
        }
      }
    } onCancel: {
      interruption.request()
    }
    return try result.get()
  }

  private func submit(_ job: @escaping Job) {
    let worker: Worker? = state.withLock { state in
      if let worker = state.idle.popLast() { return worker }
      if state.count < size {
        state.count += 1
        return Worker(writer)
      }
      state.waiting.append(job)
      return nil
    }
    worker?.perform { worker in self.run(job, on: worker) }
  }

  private func run(_ job: Job, on worker: Worker) {
    job(worker)
    while let next = next(for: worker) { next(worker) }
  }

  private func next(for worker: Worker) -> Job? {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.idle.append(worker)
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}

/// A thread with a reader.
///
/// `@unchecked Sendable`. Because its reader is used on its queue only.
private final class Worker: @unchecked Sendable {
  private let queue = DispatchQueue(label: "gatehouse.reader", qos: .utility)
  private let writer: Writer
  private var reader: Reader?

  init(_ writer: Writer) {
    self.writer = writer
  }

  func perform(_ body: @escaping @Sendable (Worker) -> Void) {
    queue.async { body(self) }
  }

  func read<Answer>(
    until interruption: Interruption, _ body: (Reader) throws -> Answer
  ) throws -> Answer {
    dispatchPrecondition(condition: .onQueue(queue))
    let reader = try reader ?? Reader(writer)
    self.reader = reader
    return try reader.read(until: interruption, body)
  }
}
