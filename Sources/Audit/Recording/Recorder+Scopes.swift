import GatehouseBSON
public import GatehouseSharing

extension Recorder {
  /// Begins a scope, which records what is done in its name until it is ended. Scopes are shared out among callers.
  /// Throws ``AuditError/disabled`` and ``AuditError/tooManyScopes``.
  public func beginScope(
    activity: String, for caller: Caller = Caller(address: .max), adding extra: Metadata = .none
  ) throws(AuditError) -> Scope {
    guard policy.isEnabled else { throw .disabled }
    let now = clock()
    expireScopes(now)
    let deadline = Date(seconds: now.seconds + options.scopeLifetime, nanoseconds: now.nanoseconds)
    let metadata = metadata.adding(extra)
    do throws(SharingError) {
      return try scopes.add(for: caller) { id in
        Scope(
          id: id, activity: activity, caller: caller, metadata: metadata, deadline: deadline, recorder: self)
      }
    } catch {
      throw .tooManyScopes
    }
  }

  /// Returns the scope in progress of that id, which `owner`, a principal, has begun. Throws ``AuditError/scopeNotInProgress(_:)``.
  public func scope(_ id: Int, of owner: String) throws(AuditError) -> Scope {
    guard let scope = scopes[id], scope.isActive, scope.caller.principal == owner else {
      throw .scopeNotInProgress(id)
    }
    return scope
  }

  /// Ends the scopes that nobody has ended in time; what happened in them is forgotten.
  public func expireScopes() {
    expireScopes(clock())
  }

  private func expireScopes(_ now: Date) {
    for scope in scopes.expired(at: now) where scope.end() != nil {
      scopes.remove(scope)
      notice(.scopeExpired(id: scope.id))
    }
  }

  func commit(_ scope: Scope) async throws {
    try await storingQueue.run {
      try await scope.finish().store()
    }
  }

  /// The scope will not have what was done in its name.
  func didLose(_ scope: Scope) {
    notice(.scopeEndedEarly(id: scope.id))
  }
}
