import BSON
import Synchronization

/// The scopes in progress, by their ids.
final class ScopeRegistry: Sendable {
  private struct State {
    var scopes: [Int: Scope] = [:]
    var lastID = 0
  }

  private let state = Mutex(State())

  subscript(id: Int) -> Scope? {
    state.withLock { $0.scopes[id] }
  }

  /// Adds a scope with the next id; nil if there are as many as there may be.
  func add(atMost limit: Int, _ make: (_ id: Int) -> Scope) -> Scope? {
    state.withLock { state in
      guard state.scopes.count < limit else { return nil }
      state.lastID += 1
      let scope = make(state.lastID)
      state.scopes[scope.id] = scope
      return scope
    }
  }

  func remove(_ scope: Scope) {
    state.withLock { _ = $0.scopes.removeValue(forKey: scope.id) }
  }

  /// The scopes past their deadlines, in the order in which they began.
  func expired(at now: Date) -> [Scope] {
    state.withLock { state in
      state.scopes.values.filter { $0.deadline <= now }.sorted { $0.id < $1.id }
    }
  }
}
