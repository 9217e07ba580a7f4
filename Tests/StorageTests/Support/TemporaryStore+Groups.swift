import Dispatch
import GatehouseStorage

/// A load that keeps the writer busy until it is told to end.
struct Occupation {
  fileprivate let gate = DispatchSemaphore(value: 0)
  fileprivate let load: Task<Int64, any Error>

  fileprivate init(of store: Store, _ begin: @escaping @Sendable () -> Void) {
    load = Task.immediate { [gate] in
      try await store.load {
        begin()
        gate.wait()
        return nil
      }
    }
  }

  func end() async throws {
    gate.signal()
    _ = try await load.value
  }
}

extension TemporaryStore {
  /// Keeps the writer busy; returns when it is.
  func occupyWriter() async -> Occupation {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let occupation = Occupation(of: store) { begin.yield() }
    for await _ in begun { break }
    return occupation
  }

  /// Returns the outcomes of transactions that wait together while the writer is busy.
  func performTogether(
    _ transactions: [[Operation]]
  ) async throws -> [Result<Commit, OperationError>] {
    try await performTogether(transactions.map { Transaction($0) })
  }

  /// Returns the outcomes of transactions that wait together while the writer is busy.
  func performTogether(
    _ transactions: [Transaction]
  ) async throws -> [Result<Commit, OperationError>] {
    let shared = store
    let occupation = await occupyWriter()
    // Immediate tasks run until they wait for the writer.
    let tasks = transactions.map { transaction in
      Task.immediate { () async -> Result<Commit, OperationError> in
        do throws(OperationError) {
          return .success(try await shared.perform(transaction))
        } catch {
          return .failure(error)
        }
      }
    }
    try await occupation.end()
    var results: [Result<Commit, OperationError>] = []
    for task in tasks { results.append(await task.value) }
    return results
  }
}
