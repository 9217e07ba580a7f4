import BSON

extension Recorder {
  /// Begins a scope, of `owner`. It records what is done in its name until it is ended.
  public func beginScope(
    activity: String, owner: String = "", adding extra: Metadata = .none
  ) throws(AuditError) -> Scope {
    guard policy.isEnabled else { throw .disabled }
    let now = clock()
    expireScopes(now)
    let deadline = Date(seconds: now.seconds + options.scopeLifetime, nanoseconds: now.nanoseconds)
    let metadata = metadata.adding(extra)
    let scope = scopes.add(atMost: options.mostScopes) { id in
      Scope(
        id: id, activity: activity, owner: owner, metadata: metadata, deadline: deadline, recorder: self)
    }
    guard let scope else { throw .tooManyScopes }
    return scope
  }

  /// The owner's scope in progress of that id. Throws ``AuditError/scopeNotInProgress(_:)``.
  public func scope(_ id: Int, of owner: String) throws(AuditError) -> Scope {
    guard let scope = scopes[id], scope.isActive, scope.owner == owner else {
      throw .scopeNotInProgress(id)
    }
    return scope
  }

  /// Gives up scopes that nobody has ended.
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
      guard let trail = scope.end() else { throw AuditError.scopeNotInProgress(scope.id) }
      self.scopes.remove(scope)
      try await self.store(trail, activity: scope.activity, metadata: scope.metadata)
    }
  }

  /// The scope will not have what was done in its name.
  func didLose(_ scope: Scope) {
    notice(.scopeEndedEarly(id: scope.id))
  }
}
