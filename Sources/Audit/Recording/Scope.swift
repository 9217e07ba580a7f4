import GatehouseBSON
import GatehouseModel
import GatehouseSharing
import GatehouseStorage
import Synchronization

/// A stretch of somebody's activity: what is read and written in it is stored when it ends, or forgotten.
public final class Scope: Sendable {
  /// Bytes of what clients say that they do.
  public static let longestActivity = 1_024

  /// From 1, in the order in which scopes begin.
  public let id: Int
  public let activity: String
  /// Who began it: no other principal knows it by its id, and what it takes is part of the caller's share.
  let caller: Caller
  /// As it was when the scope began.
  public let metadata: Metadata
  /// When it is given up unless it has been ended.
  let deadline: Date
  let recorder: Recorder
  private struct State {
    var trail: Trail
    /// The caller's parts of the memory and of the temporary files, as large as the trail was when that was granted.
    let memory: SharedBudget.Reservation
    let file: SharedBudget.Reservation
    var isActive = true

    func reserve() throws(BudgetError) {
      try memory.grow(to: trail.memorySize)
      try file.grow(to: trail.fileSize)
    }
  }

  private let state: Mutex<State>

  init(id: Int, activity: String, caller: Caller, metadata: Metadata, deadline: Date, recorder: Recorder) {
    self.id = id
    self.activity = activity
    self.caller = caller
    self.metadata = metadata
    self.deadline = deadline
    self.recorder = recorder
    let store = recorder.store
    state = Mutex(
      State(
        trail: recorder.makeTrail(), memory: store.memory.reservation(for: caller),
        file: store.temporaryFiles.reservation(for: caller)))
  }

  /// Whether it still records.
  public var isActive: Bool { state.withLock { $0.isActive } }

  /// Stores what has happened, and returns when that is durable. Throws
  /// ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  public func commit() async throws {
    try await recorder.commit(self)
  }

  /// Ends the scope, whose events ``FinishedScope/store()`` stores. Throws ``AuditError/scopeNotInProgress(_:)`` where the scope has
  /// ended.
  public func finish() throws(AuditError) -> FinishedScope {
    guard let trail = end() else { throw .scopeNotInProgress(id) }
    recorder.scopes.remove(self)
    return FinishedScope(trail: trail, activity: activity, metadata: metadata, recorder: recorder)
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
      state.trail = recorder.makeTrail()
      state.isActive = false
      state.memory.release()
      state.file.release()
      return trail
    }
  }

  /// Makes sure that what was recorded so far is within the caller's share. Asked at the begin of each request, since what
  /// a request has shown or written must be recorded, whatever it takes.
  func reserve() throws(BudgetError) {
    try state.withLock { (state) throws(BudgetError) in
      if state.isActive { try state.reserve() }
    }
  }

  /// Throws ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  func record<Result: Sendable>(_ body: (inout Trail) throws -> Result) throws -> Result {
    try state.withLock { state in
      guard state.isActive else { throw AuditError.scopeNotInProgress(id) }
      defer { try? state.reserve() }
      return try body(&state.trail)
    }
  }
}
