import BSON
import Model
import Storage
import Synchronization

/// A stretch of somebody's activity: what is read and written in it is stored when it ends, or forgotten.
public final class Scope: Sendable {
  /// Bytes of what clients say that they do.
  public static let longestActivity = 1_024

  /// From 1, in the order in which scopes begin.
  public let id: Int
  public let activity: String
  /// The principal who began the scope; for others no scope has this id.
  let owner: String
  /// As it was when the scope began.
  public let metadata: Metadata
  /// When it is given up unless it has been ended.
  let deadline: Date
  private let recorder: Recorder
  private struct State {
    var trail: Trail
    var isActive = true
  }

  private let state: Mutex<State>

  init(id: Int, activity: String, owner: String, metadata: Metadata, deadline: Date, recorder: Recorder) {
    self.id = id
    self.activity = activity
    self.owner = owner
    self.metadata = metadata
    self.deadline = deadline
    self.recorder = recorder
    state = Mutex(State(trail: recorder.makeTrail()))
  }

  /// Whether it still records.
  public var isActive: Bool { state.withLock { $0.isActive } }

  /// Stores what has happened, and returns when that is durable. Throws
  /// ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  public func commit() async throws {
    try await recorder.commit(self)
  }

  /// Forgets what has happened. Throws ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  public func cancel() throws(AuditError) {
    guard end() != nil else { throw .scopeNotInProgress(id) }
    recorder.scopes.remove(self)
  }

  /// Ends the scope; nil where it has ended before.
  func end() -> Trail? {
    state.withLock { state in
      guard state.isActive else { return nil }
      let trail = state.trail
      state = State(trail: recorder.makeTrail(), isActive: false)
      return trail
    }
  }

  /// Throws ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  func record(_ body: (inout Trail) throws -> Void) throws {
    try state.withLock { state in
      guard state.isActive else { throw AuditError.scopeNotInProgress(id) }
      try body(&state.trail)
    }
  }
}
