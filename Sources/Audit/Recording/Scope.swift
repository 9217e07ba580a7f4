import BSON
import Model
import Storage
import Synchronization

/// A stretch of somebody's activity: what is read and written in it is stored when it ends, or forgotten.
public final class Scope: Sendable {
  /// From 1, in the order in which scopes begin.
  public let id: Int
  public let activity: String
  /// As it was when the scope began.
  public let metadata: Metadata
  /// When it is given up unless it has been ended.
  let deadline: Date
  private let recorder: Recorder
  /// Nil once the scope has ended.
  private let trail: Mutex<Trail?>

  init(id: Int, activity: String, metadata: Metadata, deadline: Date, recorder: Recorder) {
    self.id = id
    self.activity = activity
    self.metadata = metadata
    self.deadline = deadline
    self.recorder = recorder
    trail = Mutex(recorder.makeTrail())
  }

  /// Whether it still records.
  public var isActive: Bool { trail.withLock { $0 != nil } }

  /// Stores what has happened, and returns when that is durable. Throws
  /// ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  public func commit() async throws {
    try await recorder.commit(self)
  }

  /// Forgets what has happened. Throws ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  public func cancel() throws(AuditError) {
    guard end() != nil else { throw .scopeNotInProgress(id) }
    recorder.forget(self)
  }

  /// Ends the scope; nil where it has ended before.
  func end() -> Trail? {
    trail.withLock { trail in
      defer { trail = nil }
      return trail
    }
  }

  /// Throws ``AuditError/scopeNotInProgress(_:)`` where the scope has ended.
  func record(_ body: (inout Trail) throws -> Void) throws {
    try trail.withLock { trail in
      guard trail != nil else { throw AuditError.scopeNotInProgress(id) }
      // Unwrapped in place: a copy would copy all that has happened.
      try trail.modify(body)
    }
  }
}

extension Optional where Wrapped == Trail {
  fileprivate mutating func modify(_ body: (inout Trail) throws -> Void) throws {
    guard var trail = take() else { return }
    defer { self = trail }
    try body(&trail)
  }
}
