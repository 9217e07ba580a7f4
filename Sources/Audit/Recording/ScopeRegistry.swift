import GatehouseBSON
import GatehouseSharing
import Synchronization

/// The scopes in progress, by their ids.
final class ScopeRegistry: Sendable {
  private struct State {
    var scopes: [Int: Scope] = [:]
    var places: Holdings
    var lastID = 0
  }

  private let state: Mutex<State>

  init(capacity: Int) {
    state = Mutex(State(places: Holdings(capacity: capacity)))
  }

  subscript(id: Int) -> Scope? {
    state.withLock { $0.scopes[id] }
  }

  var isEmpty: Bool { state.withLock(\.scopes.isEmpty) }

  /// Adds a scope of the caller's with the next id.
  func add(for caller: Caller, _ make: (_ id: Int) -> Scope) throws(SharingError) -> Scope {
    try state.withLock { (state) throws(SharingError) in
      try state.places.take(1, for: caller)
      state.lastID += 1
      let scope = make(state.lastID)
      precondition(scope.id == state.lastID, "each scope has an identifier of its own")
      state.scopes[scope.id] = scope
      return scope
    }
  }

  func remove(_ scope: Scope) {
    state.withLock { state in
      if state.scopes.removeValue(forKey: scope.id) != nil { state.places.give(1, of: scope.caller) }
      precondition(state.scopes.count == state.places.total, "each scope in progress has one place")
    }
  }

  /// The scopes past their deadlines, in the order in which they began.
  func expired(at now: Date) -> [Scope] {
    state.withLock { state in
      state.scopes.values.filter { $0.deadline <= now }.sorted { $0.id < $1.id }
    }
  }
}
