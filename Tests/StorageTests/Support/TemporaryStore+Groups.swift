import Dispatch
import GatehouseStorage

extension TemporaryStore {
  /// Returns the outcomes of transactions that wait together while the writer is busy.
  func performTogether(
    _ transactions: [[Operation]]
  ) async throws -> [Result<Commit, OperationError>] {
    let gate = DispatchSemaphore(value: 0)
    let shared = store
    // Immediate tasks run until they wait for the writer.
    let load = Task.immediate {
      try await shared.load {
        gate.wait()
        return nil
      }
    }
    let tasks = transactions.map { operations in
      Task.immediate { () async -> Result<Commit, OperationError> in
        do throws(OperationError) {
          return .success(try await shared.perform(Transaction(operations)))
        } catch {
          return .failure(error)
        }
      }
    }
    gate.signal()
    _ = try await load.value
    var results: [Result<Commit, OperationError>] = []
    for task in tasks { results.append(await task.value) }
    return results
  }
}
