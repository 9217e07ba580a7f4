/// Records what a program reads and writes in a Realm, in scopes that it begins and ends.
public struct Events {
  let context: AuditContext
  /// The file, which stays open for as long as there is a scope, or an event to be stored.
  let file: RealmFile

  /// Begins a scope: what is read and written in the Realm's file from now on is stored when it is committed, in events of this
  /// activity. Several scopes may be open; each gets everything.
  public func beginScope(activity: String) -> Scope { Scope(self, activity) }

  @available(*, unavailable, message: "Use EventScope.commit()")
  public func endScope(completion: (((any Swift.Error)?) -> Void)? = nil) { fatalError() }

  /// Stores an event of the program's own, which is part of no scope.
  ///
  /// - Parameters:
  ///   - eventType: Its kind: none of those that are recorded, as `read` and `write`.
  ///   - completion: Is told when the event is durable, or why it was not stored.
  public func recordEvent(
    activity: String, eventType: String? = nil, data: String? = nil,
    completion: (((any Swift.Error)?) -> Void)? = nil
  ) {
    context.recordEvent(
      in: file, activity: activity, type: eventType, data: data, completion: completion)
  }

  /// Sets the texts of events that are begun from now on. Stops where a name is none that metadata may have.
  public func updateMetadata(_ newMetadata: [String: String]) {
    do { try context.update(newMetadata) } catch { fatalError(error.localizedDescription) }
  }

  /// A stretch of a program's activity. One that is let go of is cancelled.
  public final class Scope {
    private let context: AuditContext
    private let scope: ActiveScope

    fileprivate init(_ events: Events, _ activity: String) {
      context = events.context
      scope = context.beginScope(activity, in: events.file)
    }

    deinit {
      guard isActive else { return }
      context.log(
        .warn,
        "Event scope '\(scope.id)' was let go of without having been committed or cancelled: its events are lost."
      )
      context.cancel(scope)
    }

    /// Ends the scope, and stores its events. Stops where it has ended before.
    ///
    /// - Parameter completion: Is told when the events are durable, or why they were not stored.
    public func commit(completion: (((any Swift.Error)?) -> Void)? = nil) {
      context.commit(scope, completion)
    }

    /// Ends the scope, and forgets what has happened in it. Stops where it has ended before.
    public func cancel() { context.cancel(scope) }

    /// Whether the scope records.
    public var isActive: Bool { scope.isActive }
  }
}

extension Realm {
  /// Records events of the Realm; nil: it was opened without ``Configuration/eventConfiguration``.
  public var events: Events? { context.audit.map { Events(context: $0, file: context.file) } }
}
