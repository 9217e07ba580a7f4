import Dispatch

@testable import GatehouseAPI

/// Keeps a hasher's workers busy until it is opened.
struct HasherGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let workers: Int

  init(_ hasher: PasswordHasher, workers: Int) async {
    self.workers = workers
    for _ in 0..<workers {
      Task { [semaphore] in try await hasher.compute(for: 0) { _ = semaphore.wait(timeout: .distantFuture) }
      }
    }
    while hasher.idle > 0 { await Task.yield() }
  }

  func open() { for _ in 0..<workers { semaphore.signal() } }
}
