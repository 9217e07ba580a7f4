import GatehouseAPI
import GatehouseBSON
import GatehouseFunctions
import Synchronization

/// Calls functions by the gateway of the first loop; what comes before that is there waits for it.
final class SystemGateway: Sendable {
  private struct State {
    var gateway: Gateway?
    var waiting: [CheckedContinuation<Gateway, Never>] = []
  }

  private let state = Mutex(State())

  func use(_ gateway: Gateway) {
    let waiting = state.withLock { state in
      state.gateway = gateway
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: gateway) }
  }

  /// Forgets the gateway, which would keep its database for ever.
  func forget() { state.withLock { $0.gateway = nil } }

  func call(_ invocation: Invocation) async throws(FunctionError) -> Value {
    try await current().call(invocation)
  }

  private func current() async -> Gateway {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state in
        if state.gateway == nil { state.waiting.append(continuation) }
        return state.gateway
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
